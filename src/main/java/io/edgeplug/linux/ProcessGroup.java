package io.edgeplug.linux;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * A program and all that it starts, run to its end or to a deadline; see setsid(1), kill(2).
 *
 * <p>It runs in a session of its own, so that its children go with it. What has left that session is out of reach.
 */
public final class ProcessGroup {

    private static final String SETSID = "/usr/bin/setsid";

    /**
     * Begins with the program once it is told to; where nobody is left to tell, it ends. The program can also read its own
     * output: else it would be killed as it writes, by SIGPIPE, once this process was.
     */
    private static final List<String> GATE =
            List.of(SETSID, "/bin/sh", "-c", "read -r go && exec \"$@\" </dev/null 3<>/proc/self/fd/1", "edgeplug");

    private static final String PATH = "/usr/sbin:/usr/bin:/sbin:/bin";
    private static final Duration GRACE = Duration.ofSeconds(1);
    private static final Duration LAST_OUTPUT = Duration.ofMillis(200);
    private static final int MAX_LINE_BYTES = 1000;

    private final Process leader;
    private final Thread reader;

    private ProcessGroup(Process leader, Consumer<String> lines) {
        this.leader = leader;
        this.reader =
                Thread.ofPlatform().name("output of " + leader.pid()).daemon().unstarted(() -> read(leader, lines));
    }

    /** Who is told of a group before its program begins. */
    public interface Beginning {
        /**
         * Writes it down.
         *
         * @throws IOException if that cannot be done; then the program does not begin
         */
        void note(GroupIdentity group) throws IOException;
    }

    /**
     * Runs a program, whose arguments no shell interprets, with no input, and waits for its end.
     *
     * @param argv begins with an absolute path
     * @param beginning is told of its group first: so there is no program that runs and that nobody has noted, however
     *     this process ends
     * @param environment all that it gets, besides a PATH of the system's directories
     * @param lines gets each line of its output and errors, on a thread of its own; long ones are cut
     * @return its exit status
     * @throws IOException if it cannot be started, or not be noted
     * @throws TimeoutException if it was killed at the deadline
     * @throws InterruptedException if it was killed because this thread was interrupted
     */
    public static int run(
            List<String> argv,
            Map<String, String> environment,
            Duration deadline,
            Consumer<String> lines,
            Beginning beginning)
            throws IOException, TimeoutException, InterruptedException {
        check(argv);
        List<String> command = new ArrayList<>(GATE);
        command.addAll(argv);
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(Path.of("/").toFile()).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().put("PATH", PATH);
        builder.environment().putAll(environment);
        ProcessGroup group = new ProcessGroup(builder.start(), lines);
        group.begin(beginning);
        group.reader.start();
        return group.awaitEnd(deadline);
    }

    private void begin(Beginning beginning) throws IOException {
        boolean begun = false;
        try (OutputStream gate = leader.getOutputStream()) {
            beginning.note(GroupIdentity.of(leader));
            gate.write('\n');
            gate.flush();
            begun = true;
        } finally {
            if (!begun) {
                kill();
            }
        }
    }

    /**
     * Looks whether a program could be started.
     *
     * @throws IOException if it cannot
     */
    public static void check(List<String> argv) throws IOException {
        if (!Files.isExecutable(Path.of(argv.getFirst()))) {
            throw new IOException(argv.getFirst() + ": no such program");
        }
    }

    private int awaitEnd(Duration deadline) throws TimeoutException, InterruptedException {
        try {
            if (!leader.waitFor(deadline.toNanos(), TimeUnit.NANOSECONDS)) {
                signal(KernelCalls.SIGTERM);
                leader.waitFor(GRACE.toNanos(), TimeUnit.NANOSECONDS);
                kill();
                throw new TimeoutException("took longer than " + deadline.toSeconds() + " s and was killed");
            }
            // whom it left behind; nobody else has the number of a group that still has members
            signal(KernelCalls.SIGKILL);
            reader.join(LAST_OUTPUT);
            return leader.exitValue();
        } catch (InterruptedException e) {
            kill();
            throw e;
        }
    }

    /** Also the leader by itself, which may not have its session yet. */
    private void kill() {
        signal(KernelCalls.SIGKILL);
        leader.destroyForcibly();
    }

    private void signal(int signal) {
        KernelCalls.load().kill(Math.toIntExact(-leader.pid()), signal);
    }

    private static void read(Process process, Consumer<String> lines) {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        try (InputStream in = new BufferedInputStream(process.getInputStream())) {
            for (int octet = in.read(); octet >= 0; octet = in.read()) {
                if (octet == '\n') {
                    tell(line, lines);
                } else if (line.size() < MAX_LINE_BYTES) {
                    line.write(octet);
                }
            }
        } catch (IOException e) {
            // its output ends where it was killed
        }
        tell(line, lines);
    }

    private static void tell(ByteArrayOutputStream line, Consumer<String> lines) {
        String text = line.toString(StandardCharsets.UTF_8)
                .replaceAll("\\p{Cntrl}", " ")
                .strip();
        line.reset();
        if (!text.isEmpty()) {
            lines.accept(text);
        }
    }
}
