package io.edgeplug.system.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
final class ProcessGroupTest {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @TempDir
    private Path directory = Path.of("");

    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final List<RunningProgram> noted = new CopyOnWriteArrayList<>();

    private int shell(String script, Duration deadline) throws Exception {
        return run(deadline, "/bin/sh", "-c", script).status();
    }

    private Supervisor.End run(Duration deadline, String... argv) throws Exception {
        Program program = new Program(Program.Purpose.PREPARE, "g1", List.of(argv), deadline, ProgramLimits.NONE);
        return Supervisor.THIS_PROCESS.run(program, lines::add, new Supervisor.Witness() {
            @Override
            public void begins(RunningProgram running) {
                noted.add(running);
            }

            @Override
            public void ended() {
                noted.clear();
            }
        });
    }

    @Test
    void outputErrorsAndExitStatusAreTold() throws Exception {
        assertThat(shell("echo one; echo two >&2; printf '\\033[1mthree'; exit 3", PATIENCE))
                .isEqualTo(3);
        assertThat(lines).containsExactly("one", "two", "?[1mthree");
    }

    @Test
    void environmentIsWhatIsGivenAndThePath() throws Exception {
        shell("env | grep -v -E '^(PWD|SHLVL|_)=' | sort", PATIENCE);

        assertThat(lines).containsExactly("EDGEPLUG_DEVICE=g1", "LANG=C.UTF-8", "PATH=/usr/sbin:/usr/bin:/sbin:/bin");
    }

    @Test
    void inputIsEmptyAndTheDirectoryIsTheRoot() throws Exception {
        assertThat(shell("cat; pwd", PATIENCE)).isZero();
        assertThat(lines).containsExactly("/");
    }

    @Test
    void argumentsAreNotInterpreted() throws Exception {
        run(PATIENCE, "/bin/echo", "$HOME; `id`", "*");

        assertThat(lines).containsExactly("$HOME; `id` *");
    }

    @Test
    void missingProgramIsTold() {
        assertThatThrownBy(() -> run(PATIENCE, "/no/such/tool"))
                .isInstanceOf(IOException.class)
                .hasMessage("/no/such/tool: no such program");
    }

    /** Whoever could change it would run programs with the rights of this process. */
    @Test
    void programThatOthersCanChangeIsNotRun() throws Exception {
        Path ran = directory.resolve("ran");
        Path tools = Files.createDirectory(directory.resolve("tools"));
        Path tool = Files.writeString(tools.resolve("tool"), "#!/bin/sh\ntouch " + ran + "\n");
        Path link = Files.createSymbolicLink(directory.resolve("link"), tool);
        Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwxr-xrwx"));

        assertThatThrownBy(() -> run(PATIENCE, link.toString()))
                .isInstanceOf(IOException.class)
                .hasMessage(link + ": can be written by others than its owner, mode 0757");
        Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(tools, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> run(PATIENCE, link.toString()))
                .isInstanceOf(IOException.class)
                .hasMessage(link + ": is reached by " + tools.toRealPath() + ", to which anyone can write");
        assertThat(ran).doesNotExist();
        Files.setPosixFilePermissions(tools, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(run(PATIENCE, link.toString()).status()).isZero();
        assertThat(ran).exists();
    }

    @Test
    void endlessLineIsCut() throws Exception {
        shell("head -c 5000000 /dev/zero | tr '\\0' x", PATIENCE);

        assertThat(lines).hasSize(1).allMatch(line -> line.length() == 1000);
    }

    @Test
    void floodIsAHundredLinesAndHowManyMoreThereWere() throws Exception {
        Supervisor.End end = run(PATIENCE, "/usr/bin/seq", "1", "700347");

        assertThat(lines).hasSize(101).startsWith("1", "2").endsWith("99", "100", "… and 700247 more lines");
        assertThat(end.first()).contains("1");
        assertThat(end.last()).contains("700347");
    }

    @Test
    void lineIsOneLineWhateverItIsShownBy() throws Exception {
        shell("printf 'a\\302\\205b\\342\\200\\250c\\342\\200\\256d\\rf\\302\\2331m'", PATIENCE);

        assertThat(lines).containsExactly("a?b?c?d?f?1m");
    }

    @Test
    void outputOfWhatHasLeftTheSessionIsLetGo() throws Exception {
        Path pid = directory.resolve("pid");
        shell("exit 0", PATIENCE);
        long descriptors = descriptors();
        try {
            for (int i = 0; i < 5; i++) {
                assertThat(shell("setsid sleep 60 & echo $! >> " + pid, PATIENCE))
                        .isZero();
            }
            assertThat(descriptors()).isLessThanOrEqualTo(descriptors);
            assertThat(Thread.getAllStackTraces().keySet())
                    .noneMatch(thread -> thread.getName().startsWith("output"));
        } finally {
            for (String one : Files.readAllLines(pid)) {
                ProcessHandle.of(Long.parseLong(one)).ifPresent(ProcessHandle::destroyForcibly);
            }
        }
    }

    private static long descriptors() throws IOException {
        try (var all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }

    @Test
    void whoIgnoresTheSignalIsKilledWithItsChildrenAndTheirs() throws Exception {
        Path pids = directory.resolve("pids");
        String deaf = "trap '' TERM HUP; echo $$ >> " + pids + "; ";
        String script = deaf + "(" + deaf + "sh -c 'echo $$ >> " + pids
                + "; while :; do sleep 100; done' & while :; do sleep 100; done) & while :; do sleep 100; done";

        assertThatThrownBy(() -> shell(script, Duration.ofSeconds(1)))
                .isInstanceOf(TimeoutException.class)
                .hasMessage("took longer than 1 s and was killed");

        List<String> started = Files.readAllLines(pids);
        assertThat(started).hasSize(3);
        for (String pid : started) {
            awaitDeath(Long.parseLong(pid));
        }
    }

    @Test
    void whatItLeavesBehindIsKilled() throws Exception {
        Path pid = directory.resolve("pid");

        assertThat(shell("sleep 1000 & echo $! > " + pid + "; echo done", PATIENCE))
                .isZero();

        awaitDeath(Long.parseLong(Files.readString(pid).strip()));
        assertThat(lines).containsExactly("done");
    }

    @Test
    void interruptKillsIt() throws Exception {
        Path pid = directory.resolve("pid");
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread runner = Thread.ofPlatform().start(() -> {
            try {
                shell("echo $$ > " + pid + "; echo started; sleep 1000", PATIENCE);
                thrown.complete(new AssertionError("it ended by itself"));
            } catch (Exception e) {
                thrown.complete(e);
            }
        });
        long late = System.nanoTime() + PATIENCE.toNanos();
        while (lines.isEmpty()) {
            assertThat(System.nanoTime()).isLessThan(late);
            LockSupport.parkNanos(1_000_000);
        }

        runner.interrupt();

        assertThat(thrown.get(10, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
        awaitDeath(Long.parseLong(Files.readString(pid).strip()));
    }

    /** Whoever reaps the orphans of this machine may take its time, so a zombie is dead enough. */
    private static void awaitDeath(long pid) {
        Path stat = Path.of("/proc/" + pid + "/stat");
        long late = System.nanoTime() + PATIENCE.toNanos();
        while (isAlive(stat)) {
            assertThat(System.nanoTime()).as("process %d lives", pid).isLessThan(late);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static boolean isAlive(Path stat) {
        try {
            return !Files.readString(stat).contains(") Z ");
        } catch (IOException e) {
            return false;
        }
    }
}
