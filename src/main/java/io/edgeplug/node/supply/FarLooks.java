package io.edgeplug.node.supply;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Looks at a class's files on file systems where a look may never return, such as NFS without its server. Each look has
 * a deadline and runs on one of a few threads that may be lost. The threads are those of the process, so a class that
 * changes again and again makes no more of them; thread-safe.
 */
final class FarLooks {

    private static final Duration DEADLINE = Duration.ofSeconds(1);

    /** How many looks may hang at a time. Until one returns, no other file is looked at. */
    private static final int MAX_LOST = 4;

    private static final Duration IDLE = Duration.ofSeconds(10);

    /** The threads of all classes. Beyond that, the looks of all classes have to wait until one returns. */
    static final int MAX_THREADS = 64;

    private static final ThreadPoolExecutor THREADS = new ThreadPoolExecutor(
            0,
            MAX_THREADS,
            IDLE.toSeconds(),
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            Thread.ofPlatform().name("look at files").daemon().factory());

    /** The work that waits for a thread; guarded by this. */
    private final Queue<Runnable> waiting = new ArrayDeque<>();

    /** How many threads this class has; guarded by this. */
    private int running;

    private final Map<Thread, Look> looks = new ConcurrentHashMap<>();

    /** By device, the looks that have not returned in time. */
    private final Map<String, Hung> hung = new ConcurrentHashMap<>();

    /** The device that a thread looks at, and the path. */
    private record Look(String device, String path) {

        static final Look NONE = new Look("", "");

        String problem() {
            return "its file " + path + " does not answer";
        }
    }

    private record Hung(CompletableFuture<Void> work, String problem) {}

    /** A device whose look was not in time. It has no ID if no thread was free for any look. */
    record Late(String device, String problem) {}

    /** Notes that the calling thread looks at that path next. */
    void at(String path) {
        looks.computeIfPresent(Thread.currentThread(), (thread, before) -> new Look(before.device(), path));
    }

    /** The result of a look at a device's files, or of the problem that the look does not return. */
    <T> T look(String device, Supplier<T> look, Function<String, T> problem) {
        Optional<String> known = hanging(device);
        if (known.isPresent()) {
            return problem.apply(known.orElseThrow());
        }
        if (looks.containsKey(Thread.currentThread())) {
            return lookHere(device, look);
        }
        CompletableFuture<T> found = new CompletableFuture<>();
        run(() -> found.complete(lookHere(device, look)), late -> found.complete(problem.apply(late.problem())));
        try {
            return found.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return problem.apply("could not be looked at, because edgeplug is stopping");
        }
    }

    /**
     * Runs work with any number of looks, all on one thread that may be lost.
     *
     * @param late called if the work has not ended by the deadline; the work may still end later
     */
    void run(Runnable work, Consumer<Late> late) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        CompletableFuture<Thread> begun = new CompletableFuture<>();
        execute(() -> {
            Thread own = Thread.currentThread();
            looks.put(own, Look.NONE);
            begun.complete(own);
            try {
                work.run();
            } finally {
                looks.remove(own);
                end.complete(null);
            }
        });
        CompletableFuture<Void> ignored = end.copy()
                .orTimeout(DEADLINE.toNanos(), TimeUnit.NANOSECONDS)
                .whenComplete((ended, timeout) -> {
                    if (timeout != null) {
                        late.accept(late(end, begun));
                    }
                });
    }

    /** Has it run soon. If the process has no thread left, it never runs, and its deadline passes. */
    private synchronized void execute(Runnable work) {
        waiting.add(work);
        if (running < 2 * MAX_LOST) {
            running++;
            try {
                THREADS.execute(this::runWaiting);
            } catch (RejectedExecutionException e) {
                running--;
                waiting.remove(work);
            }
        }
    }

    private void runWaiting() {
        Optional<Runnable> next = next();
        while (next.isPresent()) {
            next.orElseThrow().run();
            next = next();
        }
    }

    private synchronized Optional<Runnable> next() {
        Optional<Runnable> next = Optional.ofNullable(waiting.poll());
        if (next.isEmpty()) {
            running--;
        }
        return next;
    }

    private Late late(CompletableFuture<Void> work, CompletableFuture<Thread> begun) {
        Look look = Optional.ofNullable(begun.getNow(null)).map(looks::get).orElse(Look.NONE);
        if (look.equals(Look.NONE)) {
            return new Late("", "is not looked at, because no look returns");
        }
        hung.put(look.device(), new Hung(work, look.problem()));
        return new Late(look.device(), look.problem());
    }

    /** Why a device is not looked at: its last look has not returned, or too many others have not. */
    private Optional<String> hanging(String device) {
        hung.values().removeIf(one -> one.work().isDone());
        Optional<String> still = Optional.ofNullable(hung.get(device)).map(Hung::problem);
        return still.isPresent() || hung.size() < MAX_LOST
                ? still
                : Optional.of("is not looked at, because looks at " + hung.size() + " other devices have not returned");
    }

    private <T> T lookHere(String device, Supplier<T> look) {
        looks.put(Thread.currentThread(), new Look(device, ""));
        return look.get();
    }
}
