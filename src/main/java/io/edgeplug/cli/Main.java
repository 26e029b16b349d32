package io.edgeplug.cli;

import io.edgeplug.cli.daemon.Daemon;
import io.edgeplug.cli.options.ExitCode;
import io.edgeplug.cli.options.RunOptions;
import io.edgeplug.cli.options.Version;
import io.edgeplug.model.config.ConfigException;
import io.edgeplug.system.kernel.PlainText;
import io.edgeplug.system.systemd.Journal;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The start of the process. It has no reference to the option parser, which would be loaded with it and which the
 * daemon does not need.
 */
public final class Main {

    private Main() {}

    /** Runs one subcommand and exits: 0 done, 1 failed, 2 wrong usage, 78 wrong configuration. */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** The daemon starts without the option parser, which would cost a third of its start and 4 MB. */
    private static int run(String[] args) {
        Optional<RunOptions> daemon = RunOptions.parse(List.of(args));
        if (daemon.isPresent()) {
            try {
                return Daemon.run(daemon.orElseThrow());
            } catch (ConfigException | IOException e) {
                String mark = Journal.errorMark();
                return failed(e, line -> System.err.println(mark + line));
            } catch (InterruptedException e) {
                return ExitCode.FAILURE;
            }
        }
        if (List.of("--version").equals(List.of(args))) {
            System.out.println(Version.text());
            return ExitCode.OK;
        }
        return Commands.commandLine(args).execute(args);
    }

    /** A person's mistake is printed as a line, a bug with its stack trace. */
    static int failed(Exception e, Consumer<String> err) {
        if (e instanceof RuntimeException bug) {
            throw bug;
        }
        String.valueOf(e.getMessage()).lines().forEach(line -> err.accept("edgeplug: " + PlainText.of(line)));
        return e instanceof ConfigException ? ExitCode.CONFIG : ExitCode.FAILURE;
    }
}
