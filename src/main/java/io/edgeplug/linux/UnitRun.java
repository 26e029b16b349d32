package io.edgeplug.linux;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** One run of a program as a unit of systemd, which systemd-run(1) asks for and waits for. */
final class UnitRun {

    /**
     * The program can also read its own output: else it would be told that nobody reads it, once this process was killed.
     * Its errors go the way of its output, so that on the other way there are systemd-run's own words only.
     */
    private static final String SCRIPT = "exec \"$@\" </dev/null 2>&1 3<>/proc/self/fd/1";

    private static final String BEGUN = "Running as unit: ";
    private static final String FINISHED = "Finished with result: ";

    /** Between SIGTERM and SIGKILL. */
    private static final String GRACE = "1s";

    /** What systemd may take beyond the deadline and the grace. */
    private static final Duration SLACK = Duration.ofSeconds(10);

    private static final Duration LAST_OUTPUT = Duration.ofMillis(200);

    private final Program program;
    private final TransientUnit unit;
    private final Consumer<String> lines;

    UnitRun(Program program, Consumer<String> lines) {
        this.program = program;
        this.unit = TransientUnit.of(program);
        this.lines = lines;
    }

    Supervisor.End run(Supervisor.Witness witness) throws IOException, TimeoutException, InterruptedException {
        long late = System.nanoTime() + program.deadline().toNanos();
        witness.begins(unit);
        Attempt attempt = attempt();
        while (!attempt.hasBegun() && unit.isTaken()) {
            // another process runs a program for this device, or has, and systemd has not forgotten it yet
            Duration left = Duration.ofNanos(Math.max(0, late - System.nanoTime()));
            if (left.isZero() || !unit.awaitFree(left)) {
                throw new TimeoutException("waited longer than "
                        + program.deadline().toSeconds() + " s for " + unit.text() + " of another process to end");
            }
            attempt = attempt();
        }
        if (attempt.result().isEmpty()) {
            throw unseen(attempt, witness);
        }
        // what SIGKILL did not end stays noted; after a success, the name may be another process's unit already
        if (attempt.isSuccess() || !unit.isAlive()) {
            witness.ended();
        }
        return attempt.end();
    }

    /** Without an end that systemd-run has seen, the program's result is unknown, if it has begun at all. */
    private IOException unseen(Attempt attempt, Supervisor.Witness witness) throws IOException, InterruptedException {
        String word = "systemd-run: " + attempt.lastWord();
        if (!attempt.hasBegun()) {
            witness.ended();
            return isUnanswered(attempt.lastWord()) ? new Supervisor.UnansweredException(word) : new IOException(word);
        }
        // the program goes on without systemd-run, and may be writing a flash memory: systemd ends it at its deadline
        boolean hasEnded;
        try {
            hasEnded = unit.awaitEnd(program.deadline().plus(SLACK)) || unit.end();
        } catch (InterruptedException e) {
            endBecauseOf(e);
            throw e;
        }
        if (!hasEnded) {
            return new Supervisor.UnansweredException(
                    "its result is unknown, and " + unit.text() + " still runs: " + word);
        }
        witness.ended();
        return new Supervisor.UnansweredException("it has ended, but its result is unknown: " + word);
    }

    /**
     * What came of asking for the unit.
     *
     * @param words what systemd-run said, of which the beginnings of two lines have been the same since it can wait
     */
    private record Attempt(
            Program program, int status, List<String> words, Optional<String> first, Optional<String> last) {

        boolean hasBegun() {
            return words.stream().anyMatch(line -> line.startsWith(BEGUN));
        }

        /** As in systemd.service(5) {@code $SERVICE_RESULT}; empty if systemd-run has not seen the end. */
        Optional<String> result() {
            return words.stream()
                    .filter(line -> line.startsWith(FINISHED))
                    .map(line -> line.substring(FINISHED.length()).strip())
                    .findFirst();
        }

        boolean isSuccess() {
            return result().filter("success"::equals).isPresent();
        }

        String lastWord() {
            return words.isEmpty() ? "exit status " + status : PlainText.of(words.getLast());
        }

        Supervisor.End end() throws TimeoutException {
            Optional<String> killed = switch (result().orElse("")) {
                case "timeout" -> throw new TimeoutException(program.tookTooLong());
                case "oom-kill" -> Optional.of("was killed because it needed more memory than it may have");
                case "signal", "core-dump" -> Optional.of("was killed by a signal");
                default -> Optional.empty();
            };
            return new Supervisor.End(status, killed, first, last);
        }
    }

    private Attempt attempt() throws IOException, TimeoutException, InterruptedException {
        // a pipe would not end with systemd-run: systemd keeps the unit's end of it for as long as it knows the unit
        Path words = Files.createTempFile("edgeplug", ".systemd-run");
        try (OutputPipe output = OutputPipe.open(lines)) {
            ProcessBuilder builder = new ProcessBuilder(command(program))
                    .directory(Path.of("/").toFile())
                    .redirectInput(Path.of("/dev/null").toFile())
                    .redirectOutput(Redirect.to(output.file()))
                    .redirectError(words.toFile());
            builder.environment().clear();
            Process asking = builder.start();
            output.begin();
            await(asking);
            output.awaitEnd(LAST_OUTPUT);
            return new Attempt(program, asking.exitValue(), Files.readAllLines(words), output.first(), output.last());
        } finally {
            Files.deleteIfExists(words);
        }
    }

    private void await(Process asking) throws IOException, TimeoutException, InterruptedException {
        try {
            if (!asking.waitFor(program.deadline().plus(SLACK).toNanos(), TimeUnit.NANOSECONDS)) {
                unit.endSoon();
                throw new TimeoutException(program.tookTooLong() + ", which systemd has not confirmed");
            }
        } catch (InterruptedException e) {
            endBecauseOf(e);
            throw e;
        } finally {
            asking.destroyForcibly();
        }
    }

    /** Whether systemd-run says that it reached nobody, in the words of its versions. */
    static boolean isUnanswered(String word) {
        return word.matches("Failed to (create bus connection|connect to .*bus|get D-Bus connection)\\b.*")
                || word.matches("Failed to start transient service unit: "
                        + "(Connection (timed out|reset by peer|terminated)|Transport endpoint is not connected)");
    }

    private void endBecauseOf(InterruptedException e) {
        try {
            unit.endSoon();
        } catch (IOException unended) {
            // it ends at its deadline
            e.addSuppressed(unended);
        }
    }

    /** How systemd-run is called. */
    static List<String> command(Program program) {
        TransientUnit unit = TransientUnit.of(program);
        List<String> command = new ArrayList<>(List.of(
                TransientUnit.SYSTEMD_RUN.toString(),
                "--pipe",
                "--wait",
                "--collect",
                "--unit=" + unit.name(),
                // systemd writes it to a file as it is, where a backslash at the end of a line continues it
                "--description=" + description(program).replace('\\', '?')));
        // whatever becomes of this process, the unit ends in time
        property(command, "RuntimeMaxSec=" + Math.max(1, program.deadline().toMillis()) + "ms");
        property(command, "TimeoutStopSec=" + GRACE);
        if (program.purpose() == Program.Purpose.HEALTH) {
            // systemd would write two lines for each run, of which there are many
            property(command, "LogLevelMax=err");
        }
        program.limits().properties().forEach(limit -> property(command, limit));
        command.add("--");
        List<String> argv = new ArrayList<>(List.of("/bin/sh", "-c", SCRIPT, "edgeplug", "/usr/bin/env", "-i"));
        program.environment().forEach((name, value) -> argv.add(name + "=" + value));
        argv.addAll(program.argv());
        // systemd replaces variables, which systemd-run can be told not to do since version 254 only
        argv.forEach(argument -> command.add(argument.replace("$", "$$")));
        return command;
    }

    private static String description(Program program) {
        return switch (program.purpose()) {
            case PREPARE -> "edgeplug prepares " + program.device();
            case HEALTH -> "edgeplug looks after the health of " + program.device();
        };
    }

    private static void property(List<String> command, String property) {
        command.add("--property=" + property);
    }
}
