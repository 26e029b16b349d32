package io.edgeplug.system.files;

import io.edgeplug.system.kernel.KernelCalls;
import io.edgeplug.system.kernel.Poll;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Reports paths that may lead elsewhere since the last look: a file with that name came or went, or a directory, a link
 * or a mount on the way changed. An event is only a hint, and the next look has the truth.
 *
 * <p>It watches the paths of looks through {@link Sysfs#on}. Its thread and descriptors exist from the first such look
 * on.
 */
public final class FileWatch implements AutoCloseable {

    /** The path that stands for every path: more happened than the kernel keeps. */
    public static final String EVERYTHING = "/";

    /** In place of the number of a watch: the directory could not be watched. */
    static final int UNWATCHED = -1;

    /** In place of the number of a watch: there is no such directory. The look will find that out too. */
    static final int ABSENT = -2;

    /** How much a table may grow before names that are no longer needed are dropped. */
    private static final int GROWTH = 1024;

    private static final Duration CLOSE = Duration.ofSeconds(1);

    private static final Logger LOG = Logger.getLogger(FileWatch.class.getName());

    private final String name;
    private final Consumer<Set<String>> listener;

    // The fields below are guarded by this.
    private Ways ways = new Ways();

    private int kept;
    private @Nullable Ear ear;
    private boolean closed;
    private boolean isLossTold;
    private boolean isOverflowTold;

    /**
     * Watches nothing yet. The thread gets that name. The listener is called on a thread of its own and must return at
     * once.
     */
    public FileWatch(String name, Consumer<Set<String>> listener) {
        this.name = name;
        this.listener = listener;
    }

    /** Whether a path, or one above it, is among the changed ones. */
    public static boolean concerns(Set<String> changed, String path) {
        return upFrom(path).stream().anyMatch(changed::contains);
    }

    /** A path and all above it, up to {@link #EVERYTHING}. */
    public static List<String> upFrom(String path) {
        List<String> up = new ArrayList<>();
        for (int end = path.length(); end > 0; end = path.lastIndexOf('/', end - 1)) {
            up.add(path.substring(0, end));
        }
        up.add(EVERYTHING);
        return up;
    }

    /** Begins a round of looks. Their paths are watched in addition to those of earlier rounds. */
    public Trail trail() {
        return new Trail(this);
    }

    /** From now on watches only the paths of that round. */
    public synchronized void keep(Trail trail) {
        Set<Integer> gone = new HashSet<>(ways.watches());
        ways = trail.ways();
        kept = ways.size();
        gone.removeAll(ways.watches());
        if (ear != null) {
            gone.forEach(ear.inotify::remove);
        }
        isLossTold &= !trail.isComplete();
    }

    /** Whether a round of all looks is due for {@link #keep}, because earlier paths are still watched. */
    public synchronized boolean isCrowded() {
        return ways.size() > 2 * kept + GROWTH;
    }

    synchronized void add(Consumer<Ways> addition) {
        addition.accept(ways);
    }

    /** Watches a directory, which takes as long as a look at it. */
    int watch(Path directory) {
        Ear own = ear();
        if (own == null) {
            return UNWATCHED;
        }
        int number = own.inotify.add(directory.toString(), Inotify.NAMES | Inotify.ATTRIBUTES);
        if (number >= 0) {
            return number;
        }
        if (number == -KernelCalls.ENOENT || number == -KernelCalls.ENOTDIR) {
            return ABSENT;
        }
        if (number == -KernelCalls.EBADF) {
            // It was closed meanwhile.
            return UNWATCHED;
        }
        tellOfLoss(
                directory.toString(),
                number == -KernelCalls.ENOSPC
                        ? "all watches of this user are in use, raise fs.inotify.max_user_watches"
                        : KernelCalls.strerror(-number));
        return UNWATCHED;
    }

    private synchronized @Nullable Ear ear() {
        if (ear == null && !closed) {
            try {
                Ear opened = new Ear();
                opened.start();
                ear = opened;
            } catch (IOException e) {
                tellOfLoss(name, e.getMessage() + ", see fs.inotify.max_user_instances");
            }
        }
        return closed ? null : ear;
    }

    /** Reports that there is no room for another name. */
    int full() {
        tellOfLoss(name, "their patterns and links lead through too many directories");
        return UNWATCHED;
    }

    private synchronized void tellOfLoss(String what, String why) {
        if (!isLossTold) {
            isLossTold = true;
            LOG.warning(() -> what + ": cannot be watched, so changes are found by a scan every 60 s: " + why);
        }
    }

    /** The paths that an event concerns. */
    private synchronized Set<String> concerned(Inotify.Event event) {
        if (event.watch() >= 0) {
            return ways.concerned(event.watch(), event.name());
        }
        if (!isOverflowTold) {
            isOverflowTold = true;
            LOG.warning("more files have changed at once than the kernel can queue, so all are looked at: "
                    + "see fs.inotify.max_queued_events");
        }
        return Set.of(EVERYTHING);
    }

    private synchronized Set<String> concerned(Set<Path> mountPoints) {
        return ways.concerned(mountPoints);
    }

    private synchronized Set<Path> directories() {
        return ways.paths();
    }

    /** Ends the thread. */
    @Override
    public void close() {
        Ear last = wakeToClose();
        if (last != null) {
            last.end();
        }
    }

    /** Wakes the thread, which closes the descriptors itself when it sees that this is closed. */
    private synchronized @Nullable Ear wakeToClose() {
        boolean isFirst = !closed;
        closed = true;
        if (isFirst && ear != null) {
            ear.poll.wake();
        }
        return ear;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** The thread that waits for the kernel. */
    private final class Ear extends Thread {

        private static final int INOTIFY = 0;
        private static final int MOUNTS = 1;

        private final Inotify inotify;
        private final Mounts mounts;
        private final Poll poll;

        Ear() throws IOException {
            super(name);
            setDaemon(true);
            inotify = Inotify.open();
            mounts = Mounts.open();
            poll = Poll.open(2);
            poll.watch(INOTIFY, inotify.descriptor(), KernelCalls.POLLIN);
            poll.watch(MOUNTS, mounts.descriptor(), KernelCalls.POLLPRI);
        }

        @Override
        public void run() {
            while (!isClosed()) {
                poll.await(-1);
                Set<String> paths = new HashSet<>();
                if (poll.returned(INOTIFY) != 0) {
                    inotify.read().forEach(event -> paths.addAll(concerned(event)));
                }
                if (poll.returned(MOUNTS) != 0) {
                    paths.addAll(concerned(mounts.changed(directories())));
                }
                if (!paths.isEmpty()) {
                    listener.accept(paths);
                }
            }
            poll.close();
            mounts.close();
            inotify.close();
        }

        void end() {
            try {
                join(CLOSE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
