package io.edgeplug.vfs;

import io.edgeplug.device.PciAddress;
import io.edgeplug.flow.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Looks at PFs, each on a thread of its own, so that a PF whose look hangs in the kernel delays no other. It is not
 * looked at again before its thread has returned. So it costs one thread, however often callers ask. Thread-safe.
 */
final class PfLooks {

    private static final String HANGS = "cannot be read: a look at it hangs in the kernel, whose log may say why";

    private final Map<PciAddress, Thread> hung = new ConcurrentHashMap<>();

    /** Reads one PF. */
    interface Look<T> {
        T at(PciAddress pf) throws IOException, InterruptedException;
    }

    /**
     * The result of a look.
     *
     * @param seen empty if there is a problem
     * @param problem why there is no result
     */
    record Outcome<T>(PciAddress pf, Optional<T> seen, Optional<String> problem) {}

    private record Running<T>(PciAddress pf, FutureTask<T> task, Thread thread) {}

    /** Looks at all of them at the same time. The outcomes are in the order of the PFs. */
    <T> List<Outcome<T>> each(List<PciAddress> pfs, Look<T> look, Duration deadline) throws InterruptedException {
        List<Optional<Running<T>>> all = new ArrayList<>();
        pfs.forEach(pf -> all.add(start(pf, look)));
        Deadline end = Deadline.in(deadline);
        List<Outcome<T>> outcomes = new ArrayList<>();
        for (int i = 0; i < pfs.size(); i++) {
            outcomes.add(
                    all.get(i).isPresent()
                            ? await(all.get(i).orElseThrow(), end)
                            : new Outcome<>(pfs.get(i), Optional.empty(), Optional.of(HANGS)));
        }
        return outcomes;
    }

    private <T> Optional<Running<T>> start(PciAddress pf, Look<T> look) {
        Thread before = hung.get(pf);
        if (before != null && before.isAlive()) {
            return Optional.empty();
        }
        hung.remove(pf);
        FutureTask<T> task = new FutureTask<>(() -> look.at(pf));
        return Optional.of(new Running<>(
                pf, task, Thread.ofPlatform().name("vfs look at " + pf).daemon().start(task)));
    }

    private <T> Outcome<T> await(Running<T> running, Deadline end) throws InterruptedException {
        try {
            long left = Math.max(0, end.left().toMillis());
            return new Outcome<>(
                    running.pf(), Optional.of(running.task().get(left, TimeUnit.MILLISECONDS)), Optional.empty());
        } catch (TimeoutException e) {
            hung.put(running.pf(), running.thread());
            return new Outcome<>(running.pf(), Optional.empty(), Optional.of(HANGS));
        } catch (InterruptedException e) {
            running.thread().interrupt();
            throw e;
        } catch (ExecutionException e) {
            if (Objects.requireNonNull(e.getCause()) instanceof IOException problem) {
                return new Outcome<>(
                        running.pf(), Optional.empty(), Optional.of("cannot be read: " + problem.getMessage()));
            }
            throw new IllegalStateException(e.getCause());
        }
    }
}
