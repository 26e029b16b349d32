package io.edgeplug.node.vfs;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.rules.WantedVfs;
import io.edgeplug.node.prepare.ProcessLock;
import io.edgeplug.system.flow.Front;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes the wanted VFs, each PF on a thread of its own. Only one process of a node does this at a time.
 *
 * <p>A killed run needs no clean-up: each step can be repeated, and the next run plans from the present state.
 */
public final class VfsApply {

    private final NodeVfs node;
    private final VfsDeadlines deadlines;
    private final Consumer<Event> told;
    private final ProcessLock lock;

    /** An event while VFs are made. */
    public sealed interface Event {

        /** The PF of the event. */
        PciAddress pf();

        /** A step is done. */
        record StepDone(PciAddress pf, VfsStep step, Duration took) implements Event {}

        /** A step takes unusually long. */
        record Waiting(PciAddress pf, VfsStep step, Duration since) implements Event {}
    }

    /**
     * For a node.
     *
     * @param told gets the events, on the threads of the PFs
     */
    public VfsApply(NodeVfs node, VfsDeadlines deadlines, Consumer<Event> told) {
        this.node = node;
        this.deadlines = deadlines;
        this.told = told;
        this.lock = new ProcessLock(node.sysfs(), "vfs");
    }

    /**
     * The result for a PF.
     *
     * @param plan that was run
     * @param failure why it stopped, or what still differs; empty if the plan had no problem and everything is done
     */
    public record Outcome(PfPlan plan, Optional<String> failure) {

        /** Whether the PF is as wanted now. */
        public boolean isGood() {
            return failure.isEmpty() && plan.problems().isEmpty();
        }

        /** All reasons why it is not as wanted, and the holders of its VFs; empty if there are none. */
        public String text() {
            return Stream.of(
                            plan.problems().stream(),
                            plan.held().stream().map(held -> held.address() + ": " + held.holder()),
                            failure.stream())
                    .flatMap(texts -> texts)
                    .collect(Collectors.joining("; "));
        }
    }

    /**
     * Waits for the PFs' drivers, and makes the wanted VFs.
     *
     * @param which only these PFs
     * @throws IOException if the node does not list its PFs, or this process is not root
     */
    public List<Outcome> apply(List<WantedVfs> entries, Predicate<PciAddress> which)
            throws IOException, InterruptedException {
        lock.take(true);
        try {
            boolean unusedInTime = new PfReadiness(node.sysfs(), node.looks()).await(entries, which, deadlines);
            List<PfPlan> plans = node.plan(entries).stream()
                    .filter(plan -> plan.wanted().isPresent() || !plan.isRead())
                    .filter(plan -> which.test(plan.pf().address()))
                    .toList();
            List<Outcome> outcomes = run(plans);
            return verify(entries, outcomes);
        } finally {
            lock.giveBack(true);
        }
    }

    private List<Outcome> run(List<PfPlan> plans) throws InterruptedException {
        List<FutureTask<Outcome>> tasks = new ArrayList<>();
        for (PfPlan plan : plans) {
            FutureTask<Outcome> task = new FutureTask<>(new PlanRun(node, deadlines, told, plan)::run);
            tasks.add(task);
            Thread unusedThread =
                    Front.VFS.platform("vfs " + plan.pf().address()).start(task);
        }
        List<Outcome> outcomes = new ArrayList<>();
        try {
            for (FutureTask<Outcome> task : tasks) {
                outcomes.add(task.get());
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } finally {
            tasks.forEach(task -> task.cancel(true));
        }
        return outcomes;
    }

    /** Plans again, because a driver may accept a setting and silently not apply it. */
    private List<Outcome> verify(List<WantedVfs> entries, List<Outcome> outcomes)
            throws IOException, InterruptedException {
        boolean hasDone = outcomes.stream()
                .anyMatch(one -> one.failure().isEmpty() && !one.plan().steps().isEmpty());
        if (!hasDone) {
            return outcomes;
        }
        List<PfPlan> now = node.plan(entries);
        return outcomes.stream()
                .map(outcome ->
                        outcome.failure().isPresent() || outcome.plan().steps().isEmpty()
                                ? outcome
                                : new Outcome(outcome.plan(), undone(outcome, now)))
                .toList();
    }

    private static Optional<String> undone(Outcome outcome, List<PfPlan> now) {
        Optional<PfPlan> plan = now.stream()
                .filter(one -> one.pf().address().equals(outcome.plan().pf().address()))
                .findFirst();
        if (plan.isEmpty()) {
            return Optional.of("is not there any more");
        }
        Optional<String> problem = plan.orElseThrow().problems().stream()
                .filter(one -> !outcome.plan().problems().contains(one))
                .findFirst();
        if (problem.isPresent()) {
            return Optional.of("all steps are done, and yet it " + problem.orElseThrow());
        }
        return plan.orElseThrow().steps().stream()
                .findFirst()
                .map(step -> "all steps are done, and yet there is one to do again, which its driver may not know: "
                        + step.line());
    }
}
