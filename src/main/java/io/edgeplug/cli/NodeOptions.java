package io.edgeplug.cli;

import io.edgeplug.config.Config;
import io.edgeplug.config.ConfigException;
import io.edgeplug.config.ConfigFiles;
import io.edgeplug.inventory.Inventory;
import io.edgeplug.linux.Journal;
import io.edgeplug.rules.DeviceClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;
import picocli.CommandLine.Option;

/** The options for the node and the configuration. */
final class NodeOptions {

    @Option(
            names = RunOptions.CONFIG,
            paramLabel = "FILE",
            description = "The configuration; class.d/*.toml beside it is read too. Defaults to "
                    + RunOptions.DEFAULT_CONFIG + ".")
    Optional<Path> config = Optional.empty();

    @Option(
            names = RunOptions.SYSROOT,
            paramLabel = "DIR|FILE",
            defaultValue = RunOptions.DEFAULT_SYSROOT,
            description =
                    "Look at the node under this directory, or at the one that capture wrote to this file. Defaults to /.")
    Path sysroot = Path.of(RunOptions.DEFAULT_SYSROOT);

    Path configFile() {
        return config.orElse(Path.of(RunOptions.DEFAULT_CONFIG));
    }

    /** The node. The caller closes it. */
    Sysroot open() throws IOException {
        return Sysroot.open(sysroot);
    }

    /** Scans the node once, and gives its devices to these classes. */
    Inventory scan(List<DeviceClass> classes) throws IOException {
        try (Sysroot node = open()) {
            return Inventory.scan(node.sysfs(), classes);
        }
    }

    /** The configuration. If none was named and none is installed, one without classes, with a line to stderr. */
    Config readOrDefaults() throws ConfigException {
        Journal.toStderr(Level.WARNING);
        if (config.isEmpty() && !Files.exists(configFile())) {
            System.err.println("edgeplug: " + configFile() + ": no such file, so no device belongs to a resource");
            return Config.DEFAULTS;
        }
        Config read = ConfigFiles.readAny(configFile());
        if (read.classes().isEmpty() && read.vfs().isEmpty()) {
            System.err.println(
                    "edgeplug: " + configFile()
                            + ": neither this file nor class.d beside it defines a [[class]], so no device belongs to a resource");
        }
        return read;
    }
}
