package io.edgeplug.node.inventory;

import io.edgeplug.model.rules.HealthRule;
import io.edgeplug.system.programs.Program;
import io.edgeplug.system.programs.RunningProgram;
import io.edgeplug.system.programs.Supervisor;
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
 * Runs the health programs of classes, a few at a time, and keeps the last result of each.
 *
 * <p>A program reports by its exit status whether the device is healthy. If not, its first line of output is the
 * reason. Its argument {@code {id}} is replaced by the device's ID. A program that takes too long is killed with
 * everything it started.
 *
 * <p>The programs have threads of their own, because a program may take long and shared threads must not.
 */
final class HealthCommands implements AutoCloseable {

    private static final int AT_A_TIME = 4;

    /**
     * A user who makes files of a class could queue any number of programs. Those beyond this limit are tried at the
     * next judgement.
     */
    private static final int MAX_WAITING = 1024;

    private static final int MAX_TEXT = 200;
    private static final String ID = "{id}";
    private static final Duration IDLE = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Supervisor supervisor;
    private final ThreadPoolExecutor threads;
    private final Map<String, Result> results = new ConcurrentHashMap<>();

    /** The devices whose programs run or are queued. */
    private final Set<String> begun = ConcurrentHashMap.newKeySet();

    /** By device, the programs that were killed and have not ended: the kernel may not let them end. */
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

    /** The last result of a program, the rule it ran for, and when it must run again. */
    private record Result(HealthRule rule, Optional<String> problem, long next) {

        Optional<String> told() {
            return problem.map(text -> rule.command().getFirst() + ": " + text);
        }
    }

    /** The problem that the program found last. Starts the program if it is time. Never waits. */
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

    /**
     * The same without a start. If the device is broken anyway, whoever broke it must not be able to start the program.
     */
    Optional<String> said(String id, HealthRule rule) {
        return last(id, rule).flatMap(Result::told);
    }

    private Optional<Result> last(String id, HealthRule rule) {
        return Optional.ofNullable(results.get(id)).filter(last -> last.rule().equals(rule));
    }

    /** Refuses if too many are queued, or if this is closed. */
    private boolean isTaken(Runnable work) {
        try {
            threads.execute(work);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Forgets the results of all other devices. */
    void keep(Set<String> ids) {
        results.keySet().retainAll(ids);
        // Asking systemd may take its time, so this runs on another thread.
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
            // The next judgement asks for it again.
            return false;
        }
    }

    private void run(String id, HealthRule rule) {
        try {
            // While the program was queued, the device may have gone, or its rule may have changed.
            if (last(id, rule).isPresent()) {
                Optional<String> problem = verdict(id, rule);
                long next = System.nanoTime() + rule.commandEvery().toNanos();
                results.computeIfPresent(
                        id, (key, last) -> last.rule().equals(rule) ? new Result(rule, problem, next) : last);
            }
        } finally {
            begun.remove(id);
        }
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
            // The program has not judged the device, so its last result still holds.
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

    /** Kills the running programs. */
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
