package io.edgeplug.node.vfs;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PhysicalFunction;
import io.edgeplug.model.device.PhysicalFunction.Vf;
import io.edgeplug.model.rules.KeptFunctions;
import io.edgeplug.node.scan.PhysicalFunctionScan;
import io.edgeplug.system.flow.LosableThreads;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Runs the steps of one plan, and stops at the first that fails.
 *
 * <p>Between the plan and a step, a pod may get a VF. So the holders of a VF are looked up again directly before each
 * step that destroys or changes it.
 */
final class PlanRun {

    private final NodeVfs node;
    private final VfsDeadlines deadlines;
    private final Consumer<VfsApply.Event> told;
    private final PfPlan plan;
    private final PciAddress pf;
    private final PfSteps steps;

    /** Whether the VFs are still those of the plan: new ones have no holder yet. */
    private boolean hasOldVfs = true;

    private boolean isAutoprobeOff;

    PlanRun(NodeVfs node, VfsDeadlines deadlines, Consumer<VfsApply.Event> told, PfPlan plan) {
        this.node = node;
        this.deadlines = deadlines;
        this.told = told;
        this.plan = plan;
        this.pf = plan.pf().address();
        this.steps = new PfSteps(node.sysfs(), node.tools(), deadlines, pf);
    }

    VfsApply.Outcome run() throws InterruptedException {
        for (VfsStep step : plan.steps()) {
            Instant begun = Instant.now();
            List<PfPlan.Held> held;
            try {
                held = run(step, begun);
            } catch (LosableThreads.OverdueException e) {
                // The kernel still works on this PF, so it gets no further steps.
                return failed(plan, step, String.valueOf(e.getMessage()));
            } catch (IOException e) {
                switchAutoprobeOn();
                return failed(plan, step, String.valueOf(e.getMessage()));
            }
            if (!held.isEmpty()) {
                switchAutoprobeOn();
                return failed(plan.withHeld(held), step, "not done, because a VF is in use by now");
            }
            note(step);
            told.accept(new VfsApply.Event.StepDone(pf, step, Duration.between(begun, Instant.now())));
        }
        return new VfsApply.Outcome(plan, Optional.empty());
    }

    /** Runs a step. If somebody holds a VF that it would destroy or change, returns these VFs instead. */
    private List<PfPlan.Held> run(VfsStep step, Instant begun) throws IOException, InterruptedException {
        return node.steps()
                .call(pf, "vfs " + pf + " " + step.word(), () -> {
                    List<PfPlan.Held> held = held(step);
                    if (held.isEmpty()) {
                        steps.run(step);
                    }
                    return held;
                })
                .await(
                        deadline(step),
                        deadlines.patience(),
                        () -> told.accept(
                                new VfsApply.Event.Waiting(pf, step, Duration.between(begun, Instant.now()))));
    }

    private List<PfPlan.Held> held(VfsStep step) throws IOException {
        if (!hasOldVfs || !isHarmful(step)) {
            return List.of();
        }
        Optional<PhysicalFunction> now = new PhysicalFunctionScan(node.sysfs()).of(pf);
        List<PfPlan.Held> held = new ArrayList<>();
        if (now.isPresent()) {
            KeptFunctions kept = plan.wanted().orElseThrow().kept();
            Optional<String> objection = kept.use(now.orElseThrow().device()).objection();
            if (step instanceof VfsStep.Eswitch && objection.isPresent()) {
                throw new IOException("not done, because " + objection.orElseThrow());
            }
            Predicate<Vf> isConcerned = vf -> step.vf().isEmpty() || step.vf().getAsInt() == vf.index();
            List<Vf> concerned =
                    now.orElseThrow().vfs().stream().filter(isConcerned).toList();
            Set<PciAddress> addresses = now.orElseThrow().vfs().isEmpty()
                    ? Set.of(pf)
                    : concerned.stream().map(Vf::address).collect(Collectors.toSet());
            Map<PciAddress, String> holders =
                    node.holders().of(now.orElseThrow(), addresses, kept).byFunction();
            if (holders.containsKey(pf)) {
                throw new IOException("not done, because the PF is in use by now: " + holders.get(pf));
            }
            for (Vf vf : concerned) {
                Optional.ofNullable(holders.get(vf.address()))
                        .ifPresent(holder -> held.add(new PfPlan.Held(vf.index(), vf.address(), holder)));
            }
        }
        return held;
    }

    /** Whether a holder of the PF or of a VF would lose it, or find it changed. */
    private static boolean isHarmful(VfsStep step) {
        return step instanceof VfsStep.Count
                || step instanceof VfsStep.Eswitch
                || step instanceof VfsStep.Unbind
                || step instanceof VfsStep.Settings
                || step instanceof VfsStep.Guid;
    }

    private void note(VfsStep step) {
        if (step instanceof VfsStep.Count) {
            hasOldVfs = false;
        }
        if (step instanceof VfsStep.Autoprobe autoprobe) {
            isAutoprobeOff = !autoprobe.isOn();
        }
    }

    /** Without this, VFs that an administrator makes by hand after this failure would get no driver. */
    private void switchAutoprobeOn() throws InterruptedException {
        if (!isAutoprobeOff) {
            return;
        }
        try {
            VfsStep on = new VfsStep.Autoprobe(true);
            run(on, Instant.now());
        } catch (IOException e) {
            // The note of it stays, so the next run switches it on. The failure before this one is reported.
        }
    }

    private static VfsApply.Outcome failed(PfPlan plan, VfsStep step, String reason) {
        return new VfsApply.Outcome(plan, Optional.of(step.line() + ": " + reason));
    }

    /** A step that waits reports a timeout by itself. */
    private Duration deadline(VfsStep step) {
        return switch (step) {
            case VfsStep.Count count -> deadlines.count().plus(deadlines.busy());
            case VfsStep.Links links -> deadlines.links().plus(deadlines.step());
            default -> deadlines.step().plus(deadlines.busy());
        };
    }
}
