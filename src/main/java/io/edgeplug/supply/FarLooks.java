package io.edgeplug.supply;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Looks at files where a look may never return, as on NFS without its server: each look has a deadline and runs on a
 * thread that can be lost, of which there are few; thread-safe.
 */
final class FarLooks {

    private static final Duration DEADLINE = Duration.ofSeconds(1);

    /** So many looks may hang at a time. Until one returns, nothing else is looked at. */
    private static final int MAX_LOST = 4;

    private static final Duration IDLE = Duration.ofSeconds(10);

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            2 * MAX_LOST,
            2 * MAX_LOST,
            IDLE.toSeconds(),
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().name("look at files").daemon().factory());

    /** The path that each of the threads looks at. */
    private final Map<Thread, String> places = new ConcurrentHashMap<>();

    /** By device, the looks that have not returned in time. */
    private final Map<String, Hung> hung = new ConcurrentHashMap<>();

    private record Hung(FutureTask<Optional<String>> look, String problem) {}

    FarLooks() {
        threads.allowCoreThreadTimeOut(true);
    }

    /** The calling thread looks at that path next. */
    void at(String path) {
        places.computeIfPresent(Thread.currentThread(), (thread, before) -> path);
    }

    /** The problem that a look at a device's files finds, or that it does not return. */
    Optional<String> problem(String device, Supplier<Optional<String>> look) {
        hung.values().removeIf(one -> one.look().isDone());
        Optional<Hung> still = Optional.ofNullable(hung.get(device));
        if (still.isPresent()) {
            return still.map(Hung::problem);
        }
        if (hung.size() >= MAX_LOST) {
            return Optional.of("is not looked at, since looks at " + hung.size() + " other devices have not returned");
        }
        Thread[] looking = new Thread[1];
        FutureTask<Optional<String>> task = new FutureTask<>(() -> {
            Thread own = Thread.currentThread();
            looking[0] = own;
            places.put(own, "");
            try {
                return look.get();
            } finally {
                places.remove(own);
            }
        });
        threads.execute(task);
        try {
            return task.get(DEADLINE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            String place = looking[0] == null ? "" : places.getOrDefault(looking[0], "");
            String problem = "its file " + place + " does not answer";
            hung.put(device, new Hung(task, problem));
            return Optional.of(problem);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of("could not be looked at, since edgeplug is stopping");
        }
    }
}
