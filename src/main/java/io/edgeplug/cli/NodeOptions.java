package io.edgeplug.cli;

import io.edgeplug.config.Config;
import io.edgeplug.config.ConfigException;
import io.edgeplug.config.ConfigFiles;
import io.edgeplug.linux.Journal;
import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.logging.Level;
import picocli.CommandLine.Option;

/** Which node, and which configuration. */
final class NodeOptions {

    @Option(
            names = RunOptions.CONFIG,
            paramLabel = "FILE",
            description = "The configuration; class.d/*.toml beside it is read too. Defaults to "
                    + RunOptions.DEFAULT_CONFIG + ".")
    Optional<Path> config = Optional.empty();

    @Option(
            names = RunOptions.SYSROOT,
            paramLabel = "DIR",
            defaultValue = RunOptions.DEFAULT_SYSROOT,
            description = "Look at the node under this directory, as at a captured one. Defaults to /.")
    Path sysroot = Path.of(RunOptions.DEFAULT_SYSROOT);

    Path configFile() {
        return config.orElse(Path.of(RunOptions.DEFAULT_CONFIG));
    }

    Sysfs sysfs() throws IOException {
        return sysfs(sysroot);
    }

    /** The node under a directory; a name that is none would look like a node without devices. */
    static Sysfs sysfs(Path sysroot) throws IOException {
        if (!Files.isDirectory(sysroot)) {
            throw new IOException(sysroot + ": no such directory, so no node to look at");
        }
        return Sysfs.at(sysroot);
    }

    /** The configuration; where none was named and none is installed, one without classes, which stderr tells. */
    Config readOrDefaults() throws ConfigException {
        Journal.toStderr(Level.WARNING);
        if (config.isEmpty() && !Files.exists(configFile())) {
            System.err.println("edgeplug: " + configFile() + ": no such file, so no device belongs to a resource");
            return Config.DEFAULTS;
        }
        return ConfigFiles.read(configFile());
    }
}
