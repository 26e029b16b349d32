package io.edgeplug.cli;

import io.edgeplug.cli.devices.DeviceHolders;
import io.edgeplug.cli.devices.ScannedNode;
import io.edgeplug.cli.options.ExitCode;
import io.edgeplug.cli.options.NodeOptions;
import io.edgeplug.cli.options.Sysroot;
import io.edgeplug.cli.picture.NodeTree;
import io.edgeplug.cli.picture.ShownDevice;
import io.edgeplug.cli.picture.SvgPicture;
import io.edgeplug.cli.picture.TreeText;
import io.edgeplug.model.config.Config;
import io.edgeplug.model.config.ConfigException;
import io.edgeplug.node.supply.Candidate;
import io.edgeplug.system.kernel.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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

    @Mixin
    private NodeOptions node = new NodeOptions();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Write an SVG image to this file; - is standard output.")
    private @Nullable String output;

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
    private @Nullable Integer width;

    @Override
    public Integer call() throws IOException, ConfigException {
        if (width != null && width < LEAST_WIDTH) {
            throw node.wrongUsage("--width must be " + LEAST_WIDTH + " or more");
        }
        PrintWriter out = node.out();
        NodeTree tree = tree();
        if (STANDARD_OUTPUT.equals(output)) {
            out.print(SvgPicture.of(tree));
        } else if (output != null) {
            Files.writeString(Path.of(output), SvgPicture.of(tree));
        } else {
            OptionalInt terminal = Terminal.columns();
            boolean isColoured = terminal.isPresent()
                    && System.getenv().getOrDefault("NO_COLOR", "").isEmpty();
            int columns = width != null ? width : terminal.orElse(Integer.MAX_VALUE);
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
