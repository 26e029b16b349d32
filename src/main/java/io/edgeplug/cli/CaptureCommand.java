package io.edgeplug.cli;

import io.edgeplug.cli.options.ExitCode;
import io.edgeplug.cli.options.NodeOptions;
import io.edgeplug.cli.options.Sysroot;
import io.edgeplug.cli.options.Version;
import io.edgeplug.lab.simulation.Capture;
import io.edgeplug.model.config.ConfigException;
import io.edgeplug.node.inventory.Inventory;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Scans like {@code list}, and writes the files that the scan has read. */
@Command(
        name = "capture",
        mixinStandardHelpOptions = true,
        description = "Write the files that a scan of this node reads into one text file, for a bug report. list and "
                + "explain read it with --sysroot. Placeholders replace MAC addresses, GUIDs, serial numbers and "
                + "gateways. Needs neither root nor the daemon.")
final class CaptureCommand implements Callable<Integer> {

    @Mixin
    private NodeOptions node = new NodeOptions();

    @Option(
            names = "--with-identities",
            description = "Keep MAC addresses, GUIDs, serial numbers and gateways as they are.")
    private boolean withIdentities;

    @Parameters(arity = "0..1", paramLabel = "FILE", description = "Where to write. Defaults to standard output.")
    private @Nullable Path file;

    @Override
    public Integer call() throws Exception {
        String text = "# " + Version.text() + " captured what its scan of this node reads"
                + (withIdentities ? "." : "; MAC addresses, GUIDs and the like are placeholders.")
                + "\n" + tree();
        if (file != null) {
            Files.writeString(file, text);
        } else {
            PrintWriter out = node.out();
            out.print(text);
            out.flush();
        }
        return ExitCode.OK;
    }

    private String tree() throws IOException, ConfigException {
        try (Sysroot sysroot = node.open()) {
            Capture capture = new Capture(sysroot.root());
            Inventory.scan(
                    sysroot.sysfs().witnessedBy(capture), node.readOrDefaults().classes());
            return capture.text(withIdentities);
        }
    }
}
