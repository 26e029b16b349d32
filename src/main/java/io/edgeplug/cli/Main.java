package io.edgeplug.cli;

import io.edgeplug.config.ConfigException;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Where the process begins. */
@Command(
        name = "edgeplug",
        description = {
            "Turns FPGAs, SR-IOV VFs and InfiniBand HCAs of this node into extended resources of Kubernetes.",
            "The daemon is edgeplug run, which systemd starts as edgeplug.service; the other commands need neither it "
                    + "nor a cluster."
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        exitCodeListHeading = "Exit status:%n",
        exitCodeList = {"0:done", "1:failed", "2:wrong usage", "78:wrong configuration"},
        footerHeading = "Files:%n",
        footer = {
            "  /etc/edgeplug/edgeplug.toml   the daemon's configuration, see edgeplug.toml(5)",
            "  /etc/edgeplug/class.d/*.toml  device classes, read in the order of their names"
        },
        subcommands = {
            RunCommand.class,
            ListCommand.class,
            ExplainCommand.class,
            TryCommand.class,
            PrepareCommand.class,
            CheckCommand.class,
            CaptureCommand.class,
            DemoCommand.class,
            LocalKubeletCommand.class
        })
public final class Main {

    private Main() {}

    /** Runs one subcommand and exits: 0 done, 1 failed, 2 wrong usage, 78 wrong configuration. */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** The daemon is started without the option parser, which would cost it a third of its start and 4 MB. */
    private static int run(String[] args) {
        Optional<RunOptions> daemon = RunOptions.parse(List.of(args));
        if (daemon.isPresent()) {
            try {
                return Daemon.run(daemon.orElseThrow());
            } catch (ConfigException | IOException e) {
                return failed(e, System.err::println);
            } catch (InterruptedException e) {
                return ExitCode.FAILURE;
            }
        }
        return commandLine().execute(args);
    }

    /** All commands, and how they fail. Public for the manual page and the completion, which the packages make of it. */
    public static CommandLine commandLine() {
        CommandLine commands = new CommandLine(new Main());
        ListCommand.describeColumns(
                Objects.requireNonNull(commands.getSubcommands().get("list")));
        return commands.setExecutionExceptionHandler((e, command, parsed) -> failed(e, command.getErr()::println));
    }

    /** A person's mistake is told in a line; a bug with its stack trace. */
    private static int failed(Exception e, Consumer<String> err) {
        if (e instanceof RuntimeException bug) {
            throw bug;
        }
        String.valueOf(e.getMessage()).lines().forEach(line -> err.accept("edgeplug: " + line));
        return e instanceof ConfigException ? ExitCode.CONFIG : ExitCode.FAILURE;
    }
}
