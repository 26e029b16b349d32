package io.edgeplug.cli.options;

import io.edgeplug.model.config.Config;
import io.edgeplug.model.config.ConfigException;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.system.systemd.Journal;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.Level;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What a command that looks at a node has: its options for the node and the configuration, and where it prints. */
public final class NodeOptions {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command = CommandSpec.create();

    @Option(
            names = RunOptions.CONFIG,
            paramLabel = "FILE",
            description = "The configuration; class.d/*.toml beside it is read too. Defaults to "
                    + RunOptions.DEFAULT_CONFIG + ".")
    @Nullable
    Path config;

    @Option(
            names = RunOptions.SYSROOT,
            paramLabel = "DIR|FILE",
            defaultValue = RunOptions.DEFAULT_SYSROOT,
            description =
                    "Look at the node under this directory, or at the one that capture wrote to this file. Defaults to /.")
    public Path sysroot = Path.of(RunOptions.DEFAULT_SYSROOT);

    public Path configFile() {
        return config == null ? Path.of(RunOptions.DEFAULT_CONFIG) : config;
    }

    public PrintWriter out() {
        return command.commandLine().getOut();
    }

    public Lines lines() {
        return new Lines(out());
    }

    public PrintWriter err() {
        return command.commandLine().getErr();
    }

    /** A mistake on the command line. */
    public ParameterException wrongUsage(String text) {
        return new ParameterException(command.commandLine(), text);
    }

    /** The node. The caller closes it. */
    public Sysroot open() throws IOException {
        return Sysroot.open(sysroot).tellingOfLongLooks(err());
    }

    /** The configuration. If none was named and none is installed, one without classes, with a line to stderr. */
    public Config readOrDefaults() throws ConfigException {
        Journal.toStderr(Level.WARNING);
        if (config == null && !Files.exists(configFile())) {
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
