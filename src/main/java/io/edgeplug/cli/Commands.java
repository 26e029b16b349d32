package io.edgeplug.cli;

import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** All commands, with their options and help. */
@Command(
        name = "edgeplug",
        description = {
            "Turns FPGAs, SR-IOV VFs and InfiniBand HCAs of this node into extended resources of Kubernetes.",
            "The daemon is edgeplug run, which systemd starts as edgeplug.service; the other commands need neither it "
                    + "nor a cluster."
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionOption.class,
        exitCodeListHeading = "Exit status:%n",
        exitCodeList = {"0:done", "1:failed", "2:wrong usage", "78:wrong configuration"},
        footerHeading = "Files:%n",
        footer = {
            "  /etc/edgeplug/edgeplug.toml   the daemon's configuration, see edgeplug.toml(5)",
            "  /etc/edgeplug/class.d/*.toml  device classes and VFs, in order of their names"
        },
        subcommands = {
            RunCommand.class,
            StatusCommand.class,
            ListCommand.class,
            TopologyCommand.class,
            ExplainCommand.class,
            TryCommand.class,
            PrepareCommand.class,
            VfsCommand.class,
            CheckCommand.class,
            ConvertCommand.class,
            CaptureCommand.class,
            DemoCommand.class,
            LocalKubeletCommand.class,
            HelpCommand.class
        })
public final class Commands {

    private Commands() {}

    /** What reads the command line. Public for the manual page and the completion, which the packages make of it. */
    public static CommandLine commandLine() {
        CommandLine commands = new CommandLine(new Commands());
        ListCommand.describeColumns(
                Objects.requireNonNull(commands.getSubcommands().get("list")));
        return commands.setExecutionExceptionHandler((e, command, parsed) -> Main.failed(e, command.getErr()::println));
    }
}
