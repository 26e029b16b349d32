package io.edgeplug.cli;

import io.edgeplug.config.Config;
import io.edgeplug.config.ConfigException;
import io.edgeplug.linux.Terminal;
import io.edgeplug.picture.NodeTree;
import io.edgeplug.picture.ShownDevice;
import io.edgeplug.picture.SvgPicture;
import io.edgeplug.picture.TreeText;
import io.edgeplug.supply.Candidate;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Scans like {@code list}, and draws the result. */
@Command(
        name = "topology",
        mixinStandardHelpOptions = true,
        description = "Draw this node: its NUMA nodes, what PCI Express connects to them, and each device with its "
                + "resource, its health and the pod that holds it. Needs neither root nor the daemon, but only root "
                + "sees which pods hold devices.")
final class TopologyCommand implements Callable<Integer> {

    private static final String STANDARD_OUTPUT = "-";
    private static final int LEAST_WIDTH = 20;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private NodeOptions node = new NodeOptions();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Write an SVG image to this file; - is standard output.")
    private Optional<String> output = Optional.empty();

    @Option(
            names = {"-a", "--all"},
            description = "Also show PCI functions that back no resource.")
    private boolean all;

    @Option(
            names = {"-w", "--width"},
            paramLabel = "COLUMNS",
            description =
                    "The greatest length of a line. Defaults to the width of the terminal. There is no limit if the "
                            + "output is piped.")
    private Optional<Integer> width = Optional.empty();

    @Override
    public Integer call() throws IOException, ConfigException {
        if (width.filter(columns -> columns < LEAST_WIDTH).isPresent()) {
            throw new ParameterException(spec.commandLine(), "--width must be " + LEAST_WIDTH + " or more");
        }
        PrintWriter out = spec.commandLine().getOut();
        NodeTree tree = tree();
        if (output.equals(Optional.of(STANDARD_OUTPUT))) {
            out.print(SvgPicture.of(tree));
        } else if (output.isPresent()) {
            Files.writeString(Path.of(output.orElseThrow()), SvgPicture.of(tree));
        } else {
            OptionalInt terminal = Terminal.columns();
            boolean isColoured = terminal.isPresent()
                    && System.getenv().getOrDefault("NO_COLOR", "").isEmpty();
            int columns = width.orElseGet(() -> terminal.orElse(Integer.MAX_VALUE));
            TreeText.lines(tree, columns, isColoured).forEach(out::println);
        }
        out.flush();
        return ExitCode.OK;
    }

    private NodeTree tree() throws IOException, ConfigException {
        Config config = node.readOrDefaults();
        try (Sysroot sysroot = node.open()) {
            List<Candidate> scanned =
                    ScannedNode.of(sysroot.sysfs(), config.classes()).devices();
            DeviceHolders holders = DeviceHolders.read(
                    sysroot, config, scanned.stream().map(Candidate::device).toList());
            // A device with faces is drawn once, as the face that is held.
            Set<String> faces = new HashSet<>();
            List<ShownDevice> devices = new ArrayList<>();
            for (Candidate one : scanned) {
                ShownDevice shown = shown(one, holders);
                if (!one.item().isFace()) {
                    devices.add(shown);
                } else if (faces.add(one.device().id())) {
                    devices.add(shown);
                } else if (!shown.holders().isEmpty()) {
                    devices.replaceAll(
                            other -> other.device().id().equals(shown.device().id()) ? shown : other);
                }
            }
            return NodeTree.read(sysroot.sysfs(), devices, all);
        }
    }

    private static ShownDevice shown(Candidate one, DeviceHolders holders) {
        return new ShownDevice(
                one.device(),
                one.item().resource(),
                one.item()
                        .resource()
                        .map(resource -> holders.pods(resource, one.device()))
                        .orElse(List.of()));
    }
}
