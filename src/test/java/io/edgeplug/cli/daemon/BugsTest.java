package io.edgeplug.cli.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.PackageJvm;
import io.edgeplug.cli.options.ExitCode;
import io.edgeplug.system.flow.Front;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The line between a bug that ends the work for one input and one that ends the process, as docs/security.md has it. */
@Timeout(60)
final class BugsTest {

    private static final String SURVIVED = "survived";

    private static final Pattern OTHER_THREAD = Pattern.compile("Thread\\s*\\.of(Virtual|Platform)|new Thread\\(");

    /** Begins a thread with a bug, in a front or elsewhere, as the argument says. */
    public static void main(String[] args) throws InterruptedException {
        Daemon.endOnBugs();
        Thread thread = Thread.ofVirtual().name("inventory").start(() -> {
            if (args[0].equals("front")) {
                boolean isWell = Front.DRA.attempt(() -> {})
                        && !Front.DRA.attempt(BugsTest::fail)
                        && !Front.DRA.attempt(BugsTest::recurse)
                        && isExpectedFailureNone()
                        && isThreadOfFrontEnded();
                System.out.println(isWell);
            } else {
                fail();
            }
        });
        thread.join();
        System.out.println(SURVIVED + " " + Front.bugs().getFirst().count());
        if (!args[0].equals("front")) {
            new CountDownLatch(1).await();
        }
    }

    /** A bug outside of any attempt. */
    private static boolean isThreadOfFrontEnded() {
        try {
            Front.DRA.virtual("claims").start(BugsTest::recurse).join();
            Front.DRA.platform("dra sockets").start(BugsTest::fail).join();
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    private static boolean isExpectedFailureNone() {
        try {
            return !Front.DRA.attempt(() -> {
                throw new IOException("expected");
            });
        } catch (IOException e) {
            return true;
        }
    }

    @SuppressWarnings("InfiniteRecursion")
    private static void recurse() {
        recurse();
    }

    private static void fail() {
        throw new IllegalStateException("the bug", new IllegalArgumentException("its cause"));
    }

    private static String output(String where, int exit) throws Exception {
        PackageJvm.End end = PackageJvm.run(BugsTest.class, where);
        assertThat(end.exit()).as(end.output()).isEqualTo(exit);
        return end.output();
    }

    @Test
    void bugInAFrontEndsTheWorkForOneInputAndIsLoggedWithItsCause() throws Exception {
        assertThat(output("front", 0))
                .contains(
                        "true",
                        SURVIVED + " 4",
                        "a bug in edgeplug (dra), please report it:",
                        "the bug",
                        "its cause",
                        "BugsTest.java:");
    }

    /** The threads of a front let no bug through, also where no attempt is around the work. */
    @Test
    void allThreadsOfFrontsAreMadeByTheirFront() throws IOException {
        List<String> others = new ArrayList<>();
        for (String part : List.of(
                "api/dra",
                "api/metrics",
                "api/status",
                "node/vfs",
                "cli/daemon/Reporting.java",
                "cli/daemon/StatusLine.java")) {
            try (Stream<Path> files = Files.walk(Path.of("src/main/java/io/edgeplug", part))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    if (OTHER_THREAD.matcher(Files.readString(file)).find()) {
                        others.add(file.toString());
                    }
                }
            }
        }
        assertThat(others).isEmpty();
    }

    @Test
    void bugAnywhereElseEndsTheProcess() throws Exception {
        assertThat(output("elsewhere", ExitCode.BUG))
                .contains("bug in thread inventory", "the bug")
                .doesNotContain(SURVIVED);
    }
}
