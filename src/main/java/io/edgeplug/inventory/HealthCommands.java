package io.edgeplug.inventory;

import io.edgeplug.linux.Program;
import io.edgeplug.linux.RunningProgram;
import io.edgeplug.linux.Supervisor;
import io.edgeplug.rules.HealthRule;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs the programs by which classes judge their devices, a few at a time, and keeps what each said last.
 *
 * <p>A program says by its exit status whether the device is fit, and if not by its first line of output why. It gets the
 * device's ID in the place of {@code {id}} in its arguments. One that takes too long is killed with what it started.
 *
 * <p>The threads are of their own: a program may be waited for as long as it likes, and those that others share may not.
 */
final class HealthCommands implements AutoCloseable {

    private static final int AT_A_TIME = 4;

    /** Whoever makes the files of a class could have any number wait: what finds no place is tried at the next judgement. */
    private static final int MAX_WAITING = 1024;

    private static final int MAX_TEXT = 200;
    private static final String ID = "{id}";
    private static final Duration IDLE = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Supervisor supervisor;
    private final ThreadPoolExecutor threads;
    private final Map<String, Result> results = new ConcurrentHashMap<>();

    /** The devices whose programs run or wait for their turn. */
    private final Set<String> begun = ConcurrentHashMap.newKeySet();

    /** The programs, by device, that have not ended by themselves: the kernel may keep one that was unended. */
    private final Map<String, RunningProgram> unended = new ConcurrentHashMap<>();

    private final AtomicBoolean forgets = new AtomicBoolean();

    HealthCommands(Supervisor supervisor) {
        this.supervisor = supervisor;
        this.threads = new ThreadPoolExecutor(
                AT_A_TIME,
                AT_A_TIME,
                IDLE.toNanos(),
                TimeUnit.NANOSECONDS,
                new LinkedBlockingQueue<>(MAX_WAITING),
                Thread.ofPlatform().name("health-", 0).daemon().factory());
        threads.allowCoreThreadTimeOut(true);
    }

    /** What a program said last, by which rule, and when it is to run again. */
    private record Result(HealthRule rule, Optional<String> problem, long next) {

        Optional<String> told() {
            return problem.map(text -> rule.command().getFirst() + ": " + text);
        }
    }

    /** What the program found wrong with the device last; starts it if it is time. Never waits. */
    Optional<String> problem(String id, HealthRule rule, long now) {
        if (rule.command().isEmpty()) {
            return Optional.empty();
        }
        Result last = results.compute(
                id,
                (key, before) -> before != null && before.rule().equals(rule)
                        ? before
                        : new Result(rule, Optional.empty(), now));
        if (last.next() - now <= 0 && begun.add(id) && !isTaken(() -> run(id, rule))) {
            begun.remove(id);
        }
        return last.told();
    }

    /** The same without a start: the program of a device that is broken anyway is not to run for whoever broke it. */
    Optional<String> said(String id, HealthRule rule) {
        return last(id, rule).flatMap(Result::told);
    }

    private Optional<Result> last(String id, HealthRule rule) {
        return Optional.ofNullable(results.get(id)).filter(last -> last.rule().equals(rule));
    }

    /** Not if too many wait, or if this is closed. */
    private boolean isTaken(Runnable work) {
        try {
            threads.execute(work);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Forgets what was said of all other devices. */
    void keep(Set<String> ids) {
        results.keySet().retainAll(ids);
        // systemd may have to be asked, which can take its time
        if (!ids.containsAll(unended.keySet())
                && forgets.compareAndSet(false, true)
                && !isTaken(() -> forgetEnded(ids))) {
            forgets.set(false);
        }
    }

    private void forgetEnded(Set<String> except) {
        try {
            unended.entrySet().removeIf(one -> !except.contains(one.getKey()) && hasEnded(one.getValue()));
        } finally {
            forgets.set(false);
        }
    }

    private static boolean hasEnded(RunningProgram program) {
        try {
            return !program.isAlive();
        } catch (IOException e) {
            // it is asked for again
            return false;
        }
    }

    private void run(String id, HealthRule rule) {
        // not of a device that went, or by a rule that is another one now, while it waited for its turn
        if (last(id, rule).isPresent()) {
            Optional<String> problem = verdict(id, rule);
            long next = System.nanoTime() + rule.commandEvery().toNanos();
            results.computeIfPresent(
                    id, (key, last) -> last.rule().equals(rule) ? new Result(rule, problem, next) : last);
        }
        begun.remove(id);
    }

    private Optional<String> verdict(String id, HealthRule rule) {
        List<String> argv =
                rule.command().stream().map(word -> word.replace(ID, id)).toList();
        Program program = new Program(Program.Purpose.HEALTH, id, argv, rule.commandTimeout(), rule.limits());
        try {
            RunningProgram before = unended.get(id);
            if (before != null && before.isAlive()) {
                return Optional.of("has not ended since it was killed");
            }
            Supervisor.End end = supervisor.run(program, line -> {}, new Supervisor.Witness() {
                @Override
                public void begins(RunningProgram running) {
                    unended.put(id, running);
                }

                @Override
                public void ended() {
                    unended.remove(id);
                }
            });
            return end.status() == 0
                    ? Optional.empty()
                    : end.killed()
                            .or(() -> end.first().map(HealthCommands::cut))
                            .or(() -> Optional.of("exit " + end.status()));
        } catch (TimeoutException e) {
            return Optional.of("takes longer than " + rule.commandTimeout().toMillis() + " ms");
        } catch (Supervisor.UnansweredException e) {
            // the program has not judged the device, so what it said last holds until it does
            return Optional.ofNullable(results.get(id)).flatMap(Result::problem);
        } catch (IOException e) {
            return Optional.of("cannot run: " + e.getMessage());
        } catch (InterruptedException e) {
            return Optional.empty();
        }
    }

    private static String cut(String text) {
        return text.substring(0, Math.min(MAX_TEXT, text.length()));
    }

    /** Kills the programs that run. */
    @Override
    public void close() {
        threads.shutdownNow();
        try {
            boolean ignored = threads.awaitTermination(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
