package io.edgeplug.node.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.PackageJvm;
import io.edgeplug.model.rules.HealthRule;
import io.edgeplug.system.programs.ProgramLimits;
import io.edgeplug.system.programs.Supervisor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Programs that judge devices, whatever they write and whatever they leave behind. */
@Timeout(120)
final class HealthCommandsTest {

    private static final String ID = "0000:3b:01.0";
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    private Path directory = Path.of("");

    private static HealthRule rule(String script, Duration timeout) {
        return new HealthRule(
                Set.of(),
                List.of("/bin/sh", "-c", script),
                timeout,
                Duration.ofHours(1),
                ProgramLimits.NONE,
                Duration.ZERO,
                Duration.ZERO);
    }

    /** What a program finds, once it has been started and has ended. */
    private static String said(HealthCommands commands, String id, HealthRule rule) {
        long late = System.nanoTime() + PATIENCE.toNanos();
        Optional<String> said = commands.problem(id, rule, System.nanoTime());
        while (said.isEmpty()) {
            assertThat(System.nanoTime()).as("nothing was said of " + id).isLessThan(late);
            LockSupport.parkNanos(1_000_000);
            said = commands.problem(id, rule, System.nanoTime());
        }
        return said.orElseThrow();
    }

    private static String said(String script, Duration timeout) {
        try (HealthCommands commands = new HealthCommands(Supervisor.THIS_PROCESS)) {
            return said(commands, ID, rule(script, timeout));
        }
    }

    @Test
    void programThatFailsSaysWhy() {
        assertThat(said("echo {id} is hot; echo more; exit 3", PATIENCE)).isEqualTo("/bin/sh: " + ID + " is hot");
        assertThat(said("exit 3", PATIENCE)).isEqualTo("/bin/sh: exit 3");
    }

    @Test
    void anotherProgramIsNotJudgedByWhatTheOneBeforeSaid() {
        try (HealthCommands commands = new HealthCommands(Supervisor.THIS_PROCESS)) {
            said(commands, ID, rule("exit 3", PATIENCE));

            assertThat(commands.problem(ID, rule("exit 4", PATIENCE), System.nanoTime()))
                    .isEmpty();
            assertThat(said(commands, ID, rule("exit 4", PATIENCE))).isEqualTo("/bin/sh: exit 4");
        }
    }

    @Test
    void programsOfDevicesThatHaveGoneMeanwhileAreNotStarted() throws Exception {
        Path open = directory.resolve("open");
        Path ran = directory.resolve("ran");
        HealthRule wait = rule("until test -e " + open + "; do sleep 0.05; done", PATIENCE);
        try (HealthCommands commands = new HealthCommands(Supervisor.THIS_PROCESS)) {
            for (int i = 0; i < 4; i++) {
                commands.problem("waits " + i, wait, System.nanoTime());
            }
            // more than may wait
            for (int i = 0; i < 2000; i++) {
                commands.problem("gone " + i, rule("echo {id} >> " + ran, PATIENCE), System.nanoTime());
            }
            commands.problem("stays", rule("exit 3", PATIENCE), System.nanoTime());
            commands.keep(Set.of("stays"));
            Files.createFile(open);

            assertThat(said(commands, "stays", rule("exit 3", PATIENCE))).isEqualTo("/bin/sh: exit 3");
            assertThat(ran).doesNotExist();
        }
    }

    @Test
    void programThatTakesTooLongIsKilledWithWhatItStarted() throws Exception {
        Path alive = directory.resolve("alive");
        assertThat(said("sleep 1000 & echo $! > " + alive + "; wait", Duration.ofMillis(500)))
                .isEqualTo("/bin/sh: takes longer than 500 ms");

        awaitEnd(Long.parseLong(Files.readString(alive).strip()));
    }

    @Test
    void programIsKilledWithWhatHasLeftItsSession() throws Exception {
        Path alive = directory.resolve("alive");
        said("setsid sh -c 'echo $$ > " + alive + "; exec sleep 1000' & wait", Duration.ofMillis(500));

        awaitEnd(Long.parseLong(Files.readString(alive).strip()));
    }

    private static void awaitEnd(long pid) throws Exception {
        Optional<ProcessHandle> child = ProcessHandle.of(pid);
        if (child.isPresent()) {
            child.orElseThrow().onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    void whatItSaysIsOneLineOfPlainText() {
        assertThat(said("printf 'bad\\033[31m\\302\\205news\\342\\200\\256.\\n'; exit 1", PATIENCE))
                .isEqualTo("/bin/sh: bad?[31m?news?.");
    }

    @Test
    void programGetsNothingOfTheServicesEnvironment() {
        assertThat(said("env | cut -d = -f 1 | grep -v -x -E 'PWD|SHLVL|_' | sort | tr '\\n' ' '; exit 1", PATIENCE))
                .isEqualTo("/bin/sh: EDGEPLUG_DEVICE LANG PATH");
    }

    @Test
    void outputWithoutANewlineCostsNoHeap() throws Exception {
        assertThat(run(Endless.class, List.of())).contains("/bin/sh: takes longer than 3000 ms");
    }

    /** A process whose health program writes as much as it can. */
    static final class Endless {
        public static void main(String[] args) {
            System.out.println(said("cat /dev/zero", Duration.ofSeconds(3)));
        }
    }

    @Test
    void childThatWritesOnCostsNoHeap() throws Exception {
        assertThat(run(Left.class, List.of())).contains("/bin/sh: exit 7").contains("went on");
    }

    /** A process whose health program leaves one that writes as much as it can. */
    static final class Left {
        public static void main(String[] args) throws Exception {
            Path pid = Files.createTempFile("left", "");
            System.out.println(said(leave("cat /dev/zero", pid) + "exit 7", PATIENCE));
            // the kernel's word that the pipe is read no more: what writes to it stands still
            long late = System.nanoTime() + PATIENCE.toNanos();
            Path counts = Path.of("/proc/" + Files.readString(pid).strip() + "/io");
            String before = "";
            String now = Files.readString(counts);
            while (!now.equals(before) && System.nanoTime() < late) {
                LockSupport.parkNanos(500_000_000);
                before = now;
                now = Files.readString(counts);
            }
            System.out.println(now.equals(before) ? "went on" : "is still read");
            kill(pid);
        }
    }

    /** Has a script start this, which leaves the script's session, and note its number. */
    private static String leave(String what, Path pids) {
        return "setsid sh -c 'echo $$ >> " + pids + "; exec " + what + "' & while ! test -s " + pids
                + "; do sleep 0.01; done; ";
    }

    private static void kill(Path pids) throws IOException {
        for (String pid : Files.readAllLines(pids)) {
            ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    @Test
    void childThatKeepsTheOutputOpenCostsNoThreadAndNoDescriptor() throws Exception {
        assertThat(run(Keeping.class, List.of("-Djdk.virtualThreadScheduler.maxPoolSize=8")))
                .contains("virtual threads run")
                .contains("threads are gone")
                .contains("descriptors are closed");
    }

    /** A process each of whose health programs leaves a child behind that holds its output. */
    static final class Keeping {

        private static final int PROGRAMS = 12;

        public static void main(String[] args) throws Exception {
            Path pids = Files.createTempFile("left", "");
            try (HealthCommands commands = new HealthCommands(Supervisor.THIS_PROCESS)) {
                // what every program needs, once
                said(commands, "first", rule("exit 1", PATIENCE));
                long threads = threads();
                long descriptors = descriptors();
                for (int i = 0; i < PROGRAMS; i++) {
                    said(commands, "device " + i, rule(leave("sleep 60", pids) + "exit 1", PATIENCE));
                }
                CountDownLatch ran = new CountDownLatch(1);
                Thread.ofVirtual().start(ran::countDown);
                System.out.println(ran.await(10, TimeUnit.SECONDS) ? "virtual threads run" : "none runs");
                // the pool's own stay for some seconds
                System.out.println(falls(() -> threads() <= threads + 4) ? "threads are gone" : "more threads");
                System.out.println(
                        falls(() -> descriptors() <= descriptors) ? "descriptors are closed" : "more descriptors");
            } finally {
                kill(pids);
            }
            System.exit(0);
        }

        private interface Condition {
            boolean holds() throws IOException;
        }

        private static boolean falls(Condition condition) throws IOException {
            long late = System.nanoTime() + Duration.ofSeconds(5).toNanos();
            while (!condition.holds() && System.nanoTime() < late) {
                LockSupport.parkNanos(10_000_000);
            }
            return condition.holds();
        }

        private static long threads() throws IOException {
            return entries("/proc/self/task");
        }

        private static long descriptors() throws IOException {
            return entries("/proc/self/fd");
        }

        private static long entries(String path) throws IOException {
            try (var all = Files.list(Path.of(path))) {
                return all.count();
            }
        }
    }

    private String run(Class<?> main, List<String> options) throws Exception {
        PackageJvm.End end = PackageJvm.run(PackageJvm.command(options, main));
        assertThat(end.exit()).as(end.output()).isZero();
        return end.output();
    }
}
