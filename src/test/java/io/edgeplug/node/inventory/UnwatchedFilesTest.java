package io.edgeplug.node.inventory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Where the kernel gives no more watches: in a user namespace, which has a limit of its own. */
@Timeout(120)
final class UnwatchedFilesTest {

    private static final String FEW_WATCHES = """
            echo $1 >/proc/sys/user/max_inotify_watches
            shift
            exec "$@"
            """;

    private static final long PATIENCE_SECONDS = 100;

    @TempDir
    private Path root = Path.of("");

    @Test
    void directoryThatCannotBeWatchedIsToldOnceAndFollowedByScansOfAll() throws Exception {
        assumeTrue(inUserNamespace(1, "true").equals("0 "), "this machine gives nobody a user namespace");
        Path cams = Files.createDirectories(root.resolve("dev/cams"));
        Files.createFile(cams.resolve("c1"));

        String said = inUserNamespace(
                1,
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Djnr.ffi.asm.enabled=false",
                "-cp",
                System.getProperty("java.class.path"),
                Following.class.getName(),
                root.toString());

        assertThat(said)
                .startsWith("0 ")
                .containsOnlyOnce("cannot be watched, so changes are found by a scan every 60 s: "
                        + "all watches of this user are in use, raise fs.inotify.max_user_watches")
                // the log may go on meanwhile
                .contains("first [c1], after a scan [c1, c2]");
    }

    /** Exit status and output. */
    private static String inUserNamespace(int watches, String... command) throws IOException, InterruptedException {
        List<String> wrapper = List.of(
                "unshare", "--user", "--map-root-user", "sh", "-ec", FEW_WATCHES, "sh", String.valueOf(watches));
        Process process = new ProcessBuilder(java.util.stream.Stream.concat(wrapper.stream(), List.of(command).stream())
                        .toList())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        return process.exitValue() + " " + said.strip();
    }

    /** What runs in the namespace. */
    static final class Following {

        private Following() {}

        public static void main(String[] args) throws Exception {
            Path root = Path.of(args[0]);
            try (WatchedFiles files = WatchedFiles.open(Sysfs.at(root), Duration.ZERO, "/dev/cams/*")) {
                // the first look is given up where the machine lets it wait, and is done again
                files.await("c1");
                List<String> first = WatchedFiles.ids(files.monitor().current());
                Files.createFile(root.resolve("dev/cams/c2"));
                // instead of the minute
                files.monitor().lookAgain("everything");
                files.await("c1", "c2");
                files.monitor().lookAgain("everything");
                System.out.println("first " + first + ", after a scan "
                        + WatchedFiles.ids(files.monitor().current()));
            }
        }
    }
}
