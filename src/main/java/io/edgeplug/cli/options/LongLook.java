package io.edgeplug.cli.options;

import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.Threads;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Tells a person which file of the node a command waits for, if the kernel does not answer: the server of a file system
 * may be away, or a driver may hang.
 */
final class LongLook implements AutoCloseable {

    private static final Duration LONG = Duration.ofSeconds(5);

    private final PrintWriter err;
    private final Thread teller = Thread.ofPlatform().daemon().name("long look").unstarted(this::follow);

    /** The last look that began; null if none has. */
    private volatile @Nullable Look last;

    LongLook(PrintWriter err) {
        this.err = err;
        teller.start();
    }

    /** One thread looks at one path. Looking twice is two objects. */
    private static final class Look {

        private final String path;
        private final Thread by = Thread.currentThread();

        Look(String path) {
            this.path = path;
        }

        /** The path as the node sees it. */
        Path place() {
            return Path.of("/").resolve(path).normalize();
        }

        /** Whether its thread is in a system call about a file. */
        boolean lasts() {
            StackTraceElement[] stack = by.getStackTrace();
            return stack.length > 0
                    && stack[0].isNativeMethod()
                    && stack[0].getClassName().startsWith("sun.nio.");
        }
    }

    /** A look begins on this thread. */
    void begin(String path) {
        last = new Look(path);
    }

    private void follow() {
        try {
            Look told = null;
            while (true) {
                Look before = last;
                Deadline.in(LONG).await();
                if (before != null && before == last && before != told && before.lasts()) {
                    told = before;
                    err.println("edgeplug: still waiting for " + before.place()
                            + ": its file system or driver does not answer; press Ctrl-C to give up");
                    err.flush();
                }
            }
        } catch (InterruptedException e) {
            // closed
        }
    }

    @Override
    public void close() {
        Threads.end(teller);
    }
}
