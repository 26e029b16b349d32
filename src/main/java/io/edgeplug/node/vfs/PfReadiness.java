package io.edgeplug.node.vfs;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PhysicalFunction;
import io.edgeplug.model.rules.WantedVfs;
import io.edgeplug.node.scan.PhysicalFunctionScan;
import io.edgeplug.node.scan.Readiness;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.flow.Condition;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.LosableThreads;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/**
 * Whether PFs are ready to make VFs. At boot, they are on the bus at once, and get a driver and a name later. Only PFs
 * that an entry may take are waited for, and no other device.
 */
record PfReadiness(Sysfs sysfs, LosableThreads looks) {

    /** Waits for all of them, and returns whether all were ready in time. If not, the plan says what is missing. */
    boolean await(List<WantedVfs> entries, Predicate<PciAddress> which, VfsDeadlines deadlines)
            throws IOException, InterruptedException {
        List<PciAddress> awaited = new PhysicalFunctionScan(sysfs)
                .addresses().stream().filter(which).toList();
        List<LosableThreads.Call<Boolean>> calls = awaited.stream()
                .map(pf -> NodeVfs.look(looks, pf, () -> await(pf, entries, deadlines.appear())))
                .toList();
        // The last look may begin when the time is over.
        Deadline end = Deadline.in(deadlines.appear().plus(deadlines.look()));
        boolean areReady = true;
        for (LosableThreads.Call<Boolean> call : calls) {
            areReady &= isReady(call, end);
        }
        return areReady;
    }

    private static boolean isReady(LosableThreads.Call<Boolean> call, Deadline end) throws InterruptedException {
        try {
            return call.await(end.left());
        } catch (IOException e) {
            return false;
        }
    }

    private boolean await(PciAddress pf, List<WantedVfs> entries, Duration deadline)
            throws IOException, InterruptedException {
        return Condition.await(
                () -> new PhysicalFunctionScan(sysfs)
                        .of(pf)
                        .map(found -> isReady(found, entries))
                        .orElse(true),
                deadline);
    }

    private boolean isReady(PhysicalFunction pf, List<WantedVfs> entries) {
        boolean hasName = pf.port().isPresent() && isNamed(pf);
        List<WantedVfs> takers = entries.stream()
                .filter(one -> one.count() > 0 && one.mayTake(pf.device(), hasName))
                .toList();
        if (takers.isEmpty() || pf.totalVfs() == 0) {
            return true;
        }
        boolean awaitsInterface =
                pf.port().isEmpty() && mayHaveInterface(pf) && takers.stream().anyMatch(WantedVfs::needsInterface);
        return pf.driver().isPresent() && !awaitsInterface && isNamed(pf);
    }

    /** Adapters of other classes, such as those for compression, never get an interface. */
    private static boolean mayHaveInterface(PhysicalFunction pf) {
        return pf.device().function().isNetwork()
                || !pf.device().function().rdmaDevices().isEmpty();
    }

    private boolean isNamed(PhysicalFunction pf) {
        return pf.port().isEmpty()
                || Readiness.isNamed(sysfs, pf.port().orElseThrow().name());
    }
}
