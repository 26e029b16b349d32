package io.edgeplug.cli;

import io.edgeplug.cli.options.ExitCode;
import io.edgeplug.cli.options.RunOptions;
import io.edgeplug.cli.options.Sysroot;
import io.edgeplug.model.config.ConfigException;
import io.edgeplug.model.convert.Conversion;
import io.edgeplug.model.convert.TargetNode;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.system.files.ForeignFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes device classes from the configuration of another device plugin. */
@Command(
        name = "convert",
        mixinStandardHelpOptions = true,
        description = "Write device classes from the configuration of another device plugin: "
                + "sriov-network-device-plugin, k8s-rdma-shared-dev-plugin, generic-device-plugin, "
                + "smarter-device-manager or Akri's udev discovery, in JSON or YAML, also inside a ConfigMap. A comment explains each setting "
                + "that means something else in edgeplug. A device or resource that a class cannot express is left out, "
                + "and a line says why. Run this on the node, because it looks up what the file leaves open, such as the "
                + "kind of a device.")
final class ConvertCommand implements Callable<Integer> {

    /** A cluster keeps no larger object in etcd. */
    private static final int MAX_BYTES = 1 << 20;

    private static final String STANDARD_INPUT = "-";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = RunOptions.SYSROOT,
            paramLabel = "DIR|FILE",
            defaultValue = RunOptions.DEFAULT_SYSROOT,
            description = "Look at the node under this directory, or at the one that capture wrote to this file. "
                    + "Defaults to /.")
    private Path sysroot = Path.of(RunOptions.DEFAULT_SYSROOT);

    @Option(
            names = "--domain",
            paramLabel = "DOMAIN",
            description = "The domain of resources for which the file names none: the value of the plugin's option "
                    + "--resource-prefix or --domain. Defaults to the plugin's default.")
    private @Nullable String domain;

    @Parameters(paramLabel = "FILE", description = "The other plugin's configuration; - is standard input.")
    private String file = "";

    @Override
    public Integer call() throws IOException, ConfigException {
        String text = text();
        PrintWriter out = spec.commandLine().getOut();
        try (Sysroot node = Sysroot.open(sysroot)) {
            TargetNode target = new TargetNode(
                    node.sysfs(), Inventory.scan(node.sysfs(), List.of()).devices());
            Conversion.Converted converted = Conversion.of(file, text, domain, target);
            out.print(converted.classes());
            out.flush();
            PrintWriter err = spec.commandLine().getErr();
            converted.leftOut().forEach(line -> err.println("edgeplug: left out: " + line));
            err.flush();
        }
        out.flush();
        return ExitCode.OK;
    }

    private String text() throws IOException {
        try (InputStream in =
                file.equals(STANDARD_INPUT) ? System.in : ForeignFile.openAnywhere(Path.of(file), MAX_BYTES)) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw new IOException("is larger than the " + (MAX_BYTES >> 20) + " MiB that are read of it");
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (NoSuchFileException e) {
            throw new IOException(file + ": no such file", e);
        } catch (CharacterCodingException e) {
            throw new IOException(file + ": is not UTF-8 text", e);
        } catch (IOException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }
}
