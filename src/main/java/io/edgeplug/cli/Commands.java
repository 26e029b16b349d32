package io.edgeplug.cli;

import io.edgeplug.cli.daemon.RunCommand;
import io.edgeplug.cli.demo.DemoCommand;
import io.edgeplug.cli.options.Version;
import io.edgeplug.cli.report.StatusCommand;
import io.edgeplug.system.kernel.PlainText;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;

/** All commands, with their options and help. */
@Command(
        name = "edgeplug",
        description = {
            "Gives VFs, network and RDMA adapters, FPGAs, other PCI functions, USB devices and files of this node to pods of Kubernetes.",
            "The daemon is edgeplug run, which systemd starts as edgeplug.service; the other commands need neither it "
                    + "nor a cluster."
        },
        mixinStandardHelpOptions = true,
        versionProvider = Commands.VersionOption.class,
        exitCodeListHeading = "Exit status:%n",
        exitCodeList = {"0:done", "1:failed", "2:wrong usage", "78:wrong configuration"},
        footerHeading = "Files:%n",
        footer = {
            "  /etc/edgeplug/edgeplug.toml   the daemon's configuration, see edgeplug.toml(5)",
            "  /etc/edgeplug/class.d/*.toml  device classes and VFs, in order of their names"
        })
public final class Commands {

    private static final String HELP = "help";

    /** In the order of the help. */
    private static final List<String> NAMES = List.of(
            "run",
            "status",
            "list",
            "topology",
            "explain",
            "try",
            "prepare",
            "vfs",
            "check",
            "dra",
            "convert",
            "capture",
            "demo",
            "local-kubelet",
            HELP);

    private Commands() {}

    /** Gives the version to the option parser. The daemon needs the version too, but not the parser. */
    static final class VersionOption implements IVersionProvider {

        @Override
        public String[] getVersion() {
            return new String[] {Version.text()};
        }
    }

    /** Commands for claims of this node's devices. */
    @Command(
            name = "dra",
            mixinStandardHelpOptions = true,
            description =
                    "Set up Dynamic Resource Allocation, with which pods claim the devices of classes with api = \"dra\".",
            subcommands = {DeviceClassCommand.class, RbacCommand.class})
    static final class Dra {}

    /**
     * The parser of all command lines. It is public because the packages make the manual page and the completion of it.
     */
    public static CommandLine commandLine() {
        return reading(NAMES);
    }

    /**
     * The parser of this command line, with only the command in it, because building all of them takes longer than most
     * of them run.
     */
    static CommandLine commandLine(String[] args) {
        return args.length > 0 && NAMES.contains(args[0]) && !args[0].equals(HELP)
                ? reading(List.of(args[0]))
                : commandLine();
    }

    private static CommandLine reading(List<String> names) {
        CommandLine commands = new CommandLine(new Commands());
        for (String name : names) {
            commands.addSubcommand(command(name));
        }
        CommandLine list = commands.getSubcommands().get("list");
        if (list != null) {
            ListCommand.describeColumns(list);
        }
        commands.setParameterExceptionHandler(Commands::tellWrongUsage);
        return commands.setExecutionExceptionHandler((e, command, parsed) -> Main.failed(e, command.getErr()::println));
    }

    /** The whole help would push the message off the screen. */
    private static int tellWrongUsage(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        PrintWriter err = command.getErr();
        String name = command.getCommandSpec().qualifiedName();
        err.println(name + ": " + PlainText.of(String.valueOf(e.getMessage())));
        boolean isSuggested = CommandLine.UnmatchedArgumentException.printSuggestions(e, err);
        err.println((isSuggested ? "or see " : "see ") + name + " --help");
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }

    private static Object command(String name) {
        return switch (name) {
            case "run" -> new RunCommand();
            case "status" -> new StatusCommand();
            case "list" -> new ListCommand();
            case "topology" -> new TopologyCommand();
            case "explain" -> new ExplainCommand();
            case "try" -> new TryCommand();
            case "prepare" -> new PrepareCommand();
            case "vfs" -> new VfsCommand();
            case "check" -> new CheckCommand();
            case "dra" -> new Dra();
            case "convert" -> new ConvertCommand();
            case "capture" -> new CaptureCommand();
            case "demo" -> new DemoCommand();
            case "local-kubelet" -> new LocalKubeletCommand();
            case HELP -> new HelpCommand();
            default -> throw new IllegalArgumentException("no command: " + name);
        };
    }
}
