package io.edgeplug.system.flow;

import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The parts of the daemon that answer others, and decide nothing about devices. A bug in one of them ends the work for
 * one input, and the rest of the daemon lives. A bug anywhere else ends the process, because then nobody knows whether
 * the list of devices and their holders is still true.
 */
@SuppressWarnings("ImmutableEnumChecker") // It counts, because the process has one of each.
public enum Front implements Worded {
    /** The driver of Dynamic Resource Allocation. A claim is noted before anything is done for it. */
    DRA,
    METRICS,
    STATUS,
    LABELS,
    /** The VFs of PFs that appear. Each is planned anew from what the kernel says. */
    VFS;

    private static final Logger LOG = Logger.getLogger(Front.class.getName());

    /** A bug that repeats itself is logged once. */
    private static final int MAX_LOGGED = 16;

    private static final int MAX_FRAMES = 12;
    private static final int MAX_TEXT = 300;

    private final Set<String> logged = new HashSet<>();
    private long count;
    private @Nullable Instant first;
    private String last = "";

    /** Work for one input. */
    public interface Work<E extends Exception> {
        void run() throws E;
    }

    /**
     * The bugs that ended work since the start.
     *
     * @param first when the first one did
     * @param last the last one, for a person
     */
    public record Bugs(Front front, long count, Instant first, String last) {}

    /**
     * Does work for one input.
     *
     * @return whether no bug has ended it
     */
    public <E extends Exception> boolean attempt(Work<E> work) throws E {
        try {
            work.run();
            return true;
        } catch (RuntimeException | Error e) {
            if (isEndOfAll(e)) {
                throw e;
            }
            note(e);
            return false;
        }
    }

    /**
     * Threads that serve this front and wait for others. A bug that {@link #attempt} has not caught ends its thread, and
     * not the process.
     */
    public Thread.Builder.OfVirtual virtual(String name) {
        return Thread.ofVirtual().name(name).uncaughtExceptionHandler(this::uncaught);
    }

    /** The same for threads that may hang in the kernel. They do not keep the process alive. */
    public Thread.Builder.OfPlatform platform(String name) {
        return Thread.ofPlatform().name(name).daemon().uncaughtExceptionHandler(this::uncaught);
    }

    private void uncaught(Thread thread, Throwable bug) {
        if (isEndOfAll(bug)) {
            Optional.ofNullable(Thread.getDefaultUncaughtExceptionHandler())
                    .ifPresent(handler -> handler.uncaughtException(thread, bug));
        } else {
            note(bug);
        }
    }

    private static boolean isEndOfAll(Throwable bug) {
        return bug instanceof VirtualMachineError && !(bug instanceof StackOverflowError);
    }

    /** Notes a bug that has ended work. */
    public void note(Throwable bug) {
        String text = text(bug);
        boolean isNews;
        synchronized (this) {
            count++;
            first = first == null ? Instant.now() : first;
            last = text;
            isNews = logged.size() < MAX_LOGGED && logged.add(text);
        }
        if (isNews) {
            LOG.severe("a bug in edgeplug (" + word() + "), please report it: " + text + frames(bug));
        }
    }

    /** The fronts that had bugs. */
    public static List<Bugs> bugs() {
        return Arrays.stream(values())
                .map(Front::ofThis)
                .flatMap(Optional::stream)
                .toList();
    }

    private synchronized Optional<Bugs> ofThis() {
        return Optional.ofNullable(first).map(when -> new Bugs(this, count, when, last));
    }

    private static String text(Throwable bug) {
        String text = bug.toString();
        String cause = bug.getCause() == null ? "" : ", because of " + bug.getCause();
        String all = text + cause;
        return all.length() > MAX_TEXT ? all.substring(0, MAX_TEXT) + "…" : all;
    }

    /** A message of the log is one line. */
    private static String frames(Throwable bug) {
        return Arrays.stream(bug.getStackTrace())
                .limit(MAX_FRAMES)
                .map(frame -> frame.getFileName() + ":" + frame.getLineNumber())
                .collect(Collectors.joining(" ", " at ", ""));
    }
}
