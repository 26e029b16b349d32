package io.edgeplug.system.programs;

import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.kernel.PlainText;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** One run of a program as a unit of systemd. systemd-run(1) starts it and waits for it. */
final class UnitRun {

    /**
     * The program can also read its own output. Otherwise it would get SIGPIPE after this process was killed. Its
     * errors go to its output, so that standard error has only the words of systemd-run.
     */
    private static final String SCRIPT = "exec \"$@\" </dev/null 2>&1 3<>/proc/self/fd/1";

    private static final String BEGUN = "Running as unit: ";
    private static final String FINISHED = "Finished with result: ";
    private static final String SUCCESS = "success";

    /** The time between SIGTERM and SIGKILL. */
    private static final String GRACE = "1s";

    /** How long systemd may take beyond the deadline and the grace. */
    private static final Duration SLACK = Duration.ofSeconds(10);

    /** Unlike /tmp, it cannot be filled by other users. */
    private static final Path OWN = Path.of("/run/edgeplug");

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
        Deadline late = Deadline.in(program.deadline());
        witness.begins(unit);
        Attempt attempt = attempt();
        while (!attempt.hasBegun() && unit.isTaken()) {
            // Another process runs a program for this device, or ran one that systemd has not forgotten yet.
            if (late.isOver() || !unit.awaitFree(late.left())) {
                throw new TimeoutException("waited longer than "
                        + program.deadline().toSeconds() + " s for " + unit.text() + " of another process to end");
            }
            attempt = attempt();
        }
        if (attempt.result().isEmpty()) {
            throw unseen(attempt, witness);
        }
        // A program that SIGKILL did not end stays noted. After a success, the name may already belong to another
        // process's unit.
        if (attempt.isSuccess() || !unit.isAlive()) {
            witness.ended();
        }
        return attempt.end();
    }

    /**
     * The program's result is unknown, because systemd-run has not seen its end. The program may not even have begun.
     */
    private IOException unseen(Attempt attempt, Supervisor.Witness witness) throws IOException, InterruptedException {
        String word = "systemd-run: " + attempt.lastWord();
        if (!attempt.hasBegun()) {
            witness.ended();
            return isUnanswered(attempt.lastWord()) ? new Supervisor.UnansweredException(word) : new IOException(word);
        }
        // The program goes on without systemd-run, and may be writing a flash memory. systemd ends it at its deadline.
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
     * The result of systemd-run. It ends with 0 only if the program did, also if its messages could not be written.
     *
     * @param words its messages; the beginnings of two lines have been the same since it can wait
     */
    record Attempt(Program program, int status, List<String> words, Optional<String> first, Optional<String> last) {

        boolean hasBegun() {
            return status == 0 || words.stream().anyMatch(line -> line.startsWith(BEGUN));
        }

        /** The result as {@code $SERVICE_RESULT} in systemd.service(5); empty if systemd-run has not seen the end. */
        Optional<String> result() {
            return words.stream()
                    .filter(line -> line.startsWith(FINISHED))
                    .map(line -> line.substring(FINISHED.length()).strip())
                    .findFirst()
                    .or(() -> status == 0 ? Optional.of(SUCCESS) : Optional.empty());
        }

        boolean isSuccess() {
            return result().filter(SUCCESS::equals).isPresent();
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
        // A pipe would not end with systemd-run, because systemd keeps the unit's end of it as long as it knows the
        // unit.
        Path words = Files.isWritable(OWN)
                ? Files.createTempFile(OWN, "", ".systemd-run")
                : Files.createTempFile("edgeplug", ".systemd-run");
        try (InputStream said = Files.newInputStream(words);
                OutputPipe output = OutputPipe.open(lines)) {
            ProcessBuilder builder = new ProcessBuilder(command(program))
                    .directory(Path.of("/").toFile())
                    .redirectInput(Path.of("/dev/null").toFile())
                    .redirectOutput(Redirect.to(output.file()))
                    .redirectError(words.toFile());
            builder.environment().clear();
            Process asking = builder.start();
            // If this process is killed, nothing is left of it.
            Files.delete(words);
            output.begin();
            await(asking);
            output.awaitEnd(LAST_OUTPUT);
            List<String> messages = new String(said.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            return new Attempt(program, asking.exitValue(), messages, output.first(), output.last());
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

    /** Whether systemd-run reports that it could not reach systemd, in the words of its versions. */
    static boolean isUnanswered(String word) {
        return word.matches("Failed to (create bus connection|connect to .*bus|get D-Bus connection)\\b.*")
                || word.matches("Failed to start transient service unit: "
                        + "(Connection (timed out|reset by peer|terminated)|Transport endpoint is not connected)");
    }

    private void endBecauseOf(InterruptedException e) {
        try {
            unit.endSoon();
        } catch (IOException unended) {
            // The program ends at its deadline.
            e.addSuppressed(unended);
        }
    }

    /** The call of systemd-run. */
    static List<String> command(Program program) {
        TransientUnit unit = TransientUnit.of(program);
        List<String> command = new ArrayList<>(List.of(
                TransientUnit.SYSTEMD_RUN.toString(),
                "--pipe",
                "--wait",
                "--collect",
                "--unit=" + unit.name(),
                // systemd writes this to a file as it is, where a backslash at the end of a line continues it.
                "--description=" + description(program).replace('\\', '?')));
        // The unit must end in time, whatever happens to this process.
        property(command, "RuntimeMaxSec=" + Math.max(1, program.deadline().toMillis()) + "ms");
        property(command, "TimeoutStopSec=" + GRACE);
        if (program.purpose() == Program.Purpose.HEALTH) {
            // Otherwise systemd would log two lines for each of many runs.
            property(command, "LogLevelMax=err");
        }
        program.limits().properties().forEach(limit -> property(command, limit));
        command.add("--");
        List<String> argv = new ArrayList<>(List.of("/bin/sh", "-c", SCRIPT, "edgeplug", "/usr/bin/env", "-i"));
        program.environment().forEach((name, value) -> argv.add(name + "=" + value));
        argv.addAll(program.argv());
        // systemd replaces variables. systemd-run can prevent that only since version 254.
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
