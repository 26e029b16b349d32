package io.edgeplug.node.vfs;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PhysicalFunction;
import io.edgeplug.model.rules.VfGroups;
import io.edgeplug.node.scan.FunctionScan;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The state, the wanted state and the steps of one PF.
 *
 * @param wanted empty if no entry takes it, or if it cannot be read
 * @param steps in their order; none if the PF is as wanted, or if a problem prevents them
 * @param lost the VFs that the steps remove, or would remove if nobody held them
 * @param held the VFs that are in use and therefore left alone
 * @param problems why the PF does not become as wanted
 * @param notes what an administrator should know of it
 */
public record PfPlan(
        PhysicalFunction pf,
        Optional<VfGroups> wanted,
        List<VfsStep> steps,
        List<PciAddress> lost,
        List<Held> held,
        List<String> problems,
        List<String> notes) {

    public PfPlan {
        steps = List.copyOf(steps);
        lost = List.copyOf(lost);
        held = List.copyOf(held);
        problems = List.copyOf(problems);
        notes = List.copyOf(notes);
    }

    /** A VF that is left alone, with the reason: {@code is held by container main of pod 3f2a…}. */
    public record Held(int index, PciAddress address, String holder) {}

    /** The plan of a PF that cannot be read, so that it is not known whether an entry takes it. */
    static PfPlan unread(PciAddress pf, String problem) {
        return without(PhysicalFunction.unread(FunctionScan.unread(pf)), null, problem);
    }

    /** The plan of a PF for which nothing is done: no entry takes it, or a problem prevents it. */
    static PfPlan without(PhysicalFunction pf, @Nullable VfGroups wanted, String... problems) {
        return new PfPlan(
                pf, Optional.ofNullable(wanted), List.of(), List.of(), List.of(), List.of(problems), List.of());
    }

    /** The same plan with more VFs that are in use. */
    PfPlan withHeld(List<Held> more) {
        List<Held> all = Stream.concat(held.stream(), more.stream()).distinct().toList();
        return new PfPlan(pf, wanted, steps, lost, all, problems, notes);
    }

    /** Whether the PF was read, so that everything else here is known. */
    public boolean isRead() {
        return wanted.isPresent() || problems.isEmpty();
    }

    /** Whether the PF is as wanted, or nothing is wanted. */
    public boolean isDone() {
        return steps.isEmpty() && problems.isEmpty();
    }
}
