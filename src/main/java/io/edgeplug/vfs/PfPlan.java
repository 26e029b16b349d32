package io.edgeplug.vfs;

import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PhysicalFunction;
import io.edgeplug.rules.WantedVfs;
import io.edgeplug.scan.FunctionScan;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What is, what is wanted and what is to be done about one PF.
 *
 * @param wanted empty if no entry takes it, or if nothing is known of it
 * @param steps in their order; none if all is as wanted, or if a problem stands in the way
 * @param lost the VFs that the steps, or those that a holder stands in the way of, remove
 * @param held the VFs that somebody uses, so that they are left alone
 * @param problems why it does not become as wanted
 * @param notes what somebody should know of it
 */
public record PfPlan(
        PhysicalFunction pf,
        Optional<WantedVfs> wanted,
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

    /** A VF that is left alone, and why: {@code is held by container main of pod 3f2a…}. */
    public record Held(int index, PciAddress address, String holder) {}

    /** Of a PF that cannot be read, so that nothing tells whether an entry takes it. */
    static PfPlan unread(PciAddress pf, String problem) {
        return new PfPlan(
                PhysicalFunction.unread(FunctionScan.unread(pf)),
                Optional.empty(),
                List.of(),
                List.of(),
                List.of(),
                List.of(problem),
                List.of());
    }

    /** The same, with more VFs that turned out to be in use. */
    PfPlan withHeld(List<Held> more) {
        List<Held> all = Stream.concat(held.stream(), more.stream()).distinct().toList();
        return new PfPlan(pf, wanted, steps, lost, all, problems, notes);
    }

    /** Whether it was read, so that all else here is known. */
    public boolean isRead() {
        return wanted.isPresent() || problems.isEmpty();
    }

    /** Whether it is as wanted, or nothing is. */
    public boolean isDone() {
        return steps.isEmpty() && problems.isEmpty();
    }
}
