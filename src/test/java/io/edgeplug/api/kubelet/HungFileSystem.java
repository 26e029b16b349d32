package io.edgeplug.api.kubelet;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.edgeplug.system.files.NeedsRoot;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A file system whose every look hangs until this is closed: one in user space (FUSE) whose server never reads what it is
 * asked. The test must be root's; else it is skipped and says so.
 */
public final class HungFileSystem implements AutoCloseable {

    private static final String MOUNT = """
            exec 5<>/dev/fuse && mount -i -t fuse -o fd=5,rootmode=40000,user_id=0,group_id=0 hung "$0" && echo mounted \
            && read end; umount -l "$0"; exec 5>&-
            """;

    private final Process server;
    private final Path at;

    private HungFileSystem(Process server, Path at) {
        this.server = server;
        this.at = at;
    }

    public static HungFileSystem mount(Path at) throws IOException {
        NeedsRoot.Condition.check();
        assumeTrue(Files.isWritable(Path.of("/dev/fuse")), "this machine has no /dev/fuse");
        Process server = new ProcessBuilder("/bin/sh", "-c", MOUNT, at.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said =
                new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8)).readLine();
        assumeTrue("mounted".equals(said), "this machine lets nobody mount a file system of its own");
        return new HungFileSystem(server, at);
    }

    /** Waits until a thread of this process hangs in it. */
    public void awaitRequest() {
        Seen.untilSo("somebody looks into " + at, HungFileSystem::isAnyoneWaiting);
    }

    /** Whether one is where FUSE has its callers wait; see proc_pid_wchan(5). */
    private static boolean isAnyoneWaiting() {
        try (var tasks = Files.list(Path.of("/proc/self/task"))) {
            return tasks.anyMatch(task -> {
                try {
                    return Files.readString(task.resolve("wchan")).contains("fuse")
                            || Files.readString(task.resolve("stack")).contains("fuse_");
                } catch (IOException e) {
                    return false;
                }
            });
        } catch (IOException e) {
            return false;
        }
    }

    /** Whoever hangs goes on, with an error. */
    @Override
    public void close() throws IOException, InterruptedException {
        server.getOutputStream().close();
        if (!server.waitFor(TestDaemon.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            server.destroyForcibly();
        }
    }
}
