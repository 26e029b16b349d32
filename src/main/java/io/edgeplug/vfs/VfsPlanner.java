package io.edgeplug.vfs;

import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PhysicalFunction;
import io.edgeplug.device.PhysicalFunction.Vf;
import io.edgeplug.device.RdmaDevice;
import io.edgeplug.rules.Step;
import io.edgeplug.rules.VfAddresses;
import io.edgeplug.rules.WantedVfs;
import io.edgeplug.rules.WantedVfs.EswitchMode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Plans one PF: a pure function of what is wanted, what was read, and who holds VFs.
 *
 * <p>The order of the steps is the one that kernel and drivers take: no driver is bound to a new VF before the PF has said
 * what there is to say of it, and the eswitch changes without VFs, or for mlx5 with VFs that no driver has.
 */
final class VfsPlanner {

    /** Its eswitch changes while VFs are there, and unbound. */
    private static final String MLX5 = "mlx5_core";

    /** It makes VFs only while its interface is up. */
    private static final String BNXT = "bnxt_en";

    private static final String UNKNOWN = "what it says of its VFs is not known here, and taken to be as wanted";

    private static final String INFINIBAND = "infiniband";

    private final WantedVfs wanted;
    private final PfReading reading;
    private final PhysicalFunction pf;
    private final Map<PciAddress, String> holders;

    private final List<VfsStep> steps = new ArrayList<>();
    private final List<PfPlan.Held> held = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    private VfsPlanner(WantedVfs wanted, PfReading reading, Map<PciAddress, String> holders) {
        this.wanted = wanted;
        this.reading = reading;
        this.pf = reading.pf();
        this.holders = holders;
    }

    /**
     * Plans a PF.
     *
     * @param holders why VFs are not to be touched, by their addresses
     */
    static PfPlan plan(WantedVfs wanted, PfReading reading, Map<PciAddress, String> holders) {
        return new VfsPlanner(wanted, reading, holders).plan();
    }

    private PfPlan plan() {
        List<PciAddress> lost = List.of();
        checkAbility();
        if (problems.isEmpty()) {
            lost = removesVfs() ? pf.vfs().stream().map(Vf::address).toList() : List.of();
            boolean touchesAll = !lost.isEmpty() || switchesWithVfs();
            if (touchesAll && refuse()) {
                steps.clear();
            } else {
                addSteps();
            }
        }
        return new PfPlan(pf, Optional.of(wanted), steps, lost, held, problems, notes);
    }

    private void checkAbility() {
        if (wanted.count() > 0 && pf.totalVfs() == 0) {
            problems.add(
                    "can have no VFs: sriov_totalvfs is 0, so SR-IOV is off in the adapter's firmware or in the BIOS");
        } else if (wanted.count() > pf.totalVfs()) {
            problems.add("can have " + pf.totalVfs() + " VFs at most, not " + wanted.count());
        } else if (wanted.count() > 0 && pf.driver().isEmpty()) {
            problems.add("has no driver, which makes the VFs");
        } else if (wanted.count() > 0 && reading.pf().port().isEmpty() && needsInterface()) {
            problems.add("has no network interface, through which its VFs are told what the entry says");
        }
        if (isInfiniband() && wanted.mac().source() != VfAddresses.Source.KEEP) {
            notes.add("mac is not for InfiniBand, whose VFs have a guid");
        }
        if (!isInfiniband() && wanted.guid().source() != VfAddresses.Source.KEEP) {
            notes.add("guid is for InfiniBand, which this PF is not");
        }
    }

    private boolean needsInterface() {
        return !wanted.settings("", 0).isEmpty()
                || wanted.mtu().isPresent()
                || wanted.guid().guid("", 0).isPresent();
    }

    private boolean isInfiniband() {
        return pf.device().function().linkTypes().contains(INFINIBAND);
    }

    private boolean modeDiffers() {
        return wanted.eswitch()
                .filter(mode -> (mode == EswitchMode.SWITCHDEV) != pf.isSwitchdev())
                .isPresent();
    }

    private boolean isModeLast() {
        return pf.driver().equals(Optional.of(MLX5));
    }

    private boolean removesVfs() {
        return pf.count() > 0 && (pf.count() != wanted.count() || (modeDiffers() && !isModeLast()));
    }

    private boolean makesVfs() {
        return wanted.count() > 0 && (pf.count() == 0 || removesVfs());
    }

    private boolean switchesWithVfs() {
        return modeDiffers() && isModeLast() && pf.count() > 0;
    }

    /** Whether somebody holds a VF, so that nothing is done that concerns all of them. */
    private boolean refuse() {
        pf.vfs().forEach(vf -> holder(vf).ifPresent(held::add));
        if (!held.isEmpty()) {
            problems.add((removesVfs()
                            ? "has " + pf.count() + (pf.count() == wanted.count() ? "" : " and not " + wanted.count())
                                    + " VFs, of which the kernel can only remove all"
                            : "cannot change its eswitch while VFs are bound to drivers")
                    + ": left as it is, since "
                    + (held.size() == 1 ? "one is" : held.size() + " are") + " in use");
        }
        return !held.isEmpty();
    }

    private Optional<PfPlan.Held> holder(Vf vf) {
        return Optional.ofNullable(holders.get(vf.address()))
                .map(holder -> new PfPlan.Held(vf.index(), vf.address(), holder));
    }

    private void addSteps() {
        boolean makes = makesVfs();
        if (makes && pf.driver().equals(Optional.of(BNXT))) {
            addUp();
        }
        if (makes && pf.probesDrivers()) {
            steps.add(new VfsStep.Autoprobe(false));
        }
        if (removesVfs()) {
            steps.add(new VfsStep.Count(0));
        }
        if (modeDiffers() && !isModeLast()) {
            steps.add(new VfsStep.Eswitch(wanted.eswitch().orElseThrow()));
        }
        if (makes) {
            steps.add(new VfsStep.Count(wanted.count()));
        }
        if (makes || pf.vfs().size() < wanted.count()) {
            steps.add(new VfsStep.Links(wanted.count()));
        }
        List<VfChange> changes = changes();
        changes.forEach(change -> change.driver()
                .filter(driver -> change.isRebound())
                .ifPresent(driver -> steps.add(new VfsStep.Unbind(change.index(), driver))));
        if (modeDiffers() && isModeLast()) {
            steps.add(new VfsStep.Eswitch(wanted.eswitch().orElseThrow()));
        }
        addMtu();
        for (VfChange change : changes) {
            if (!change.settings().isEmpty()) {
                steps.add(new VfsStep.Settings(change.index(), change.settings()));
            }
            change.guid().ifPresent(guid -> steps.add(new VfsStep.Guid(change.index(), guid)));
        }
        // a VF that the kernel must not probe is not bound by hand either, see pci_device_can_probe
        if ((makes && pf.probesDrivers()) || reading.isAutoprobeLeftOff()) {
            steps.add(new VfsStep.Autoprobe(true));
        }
        addBinds(changes);
        if (wanted.count() > 0) {
            addUp();
        }
    }

    private void addMtu() {
        if (wanted.mtu().isPresent()
                && !pf.port().map(PhysicalFunction.Port::mtu).equals(Optional.of(wanted.mtu()))) {
            steps.add(new VfsStep.Mtu(wanted.mtu().orElseThrow()));
        }
    }

    /** A driver that cannot be loaded is told before anything is changed. */
    private void addBinds(List<VfChange> changes) {
        List<VfChange> bound = changes.stream().filter(VfChange::isRebound).toList();
        wanted.driver()
                .filter(driver -> !bound.isEmpty() && !reading.drivers().contains(driver))
                .ifPresent(driver -> steps.addFirst(new VfsStep.Load(driver)));
        bound.forEach(change -> steps.add(new VfsStep.Bind(change.index(), wanted.driver())));
    }

    private void addUp() {
        VfsStep up = new VfsStep.Up();
        if (pf.port().flatMap(PhysicalFunction.Port::isUp).equals(Optional.of(false)) && !steps.contains(up)) {
            steps.add(up);
        }
    }

    /**
     * What becomes of one VF.
     *
     * @param driver that it is taken from
     * @param settings those that are to be said anew
     * @param isRebound whether it is bound at the end
     */
    private record VfChange(
            int index, Optional<String> driver, Step.Vf settings, Optional<String> guid, boolean isRebound) {}

    private List<VfChange> changes() {
        List<VfChange> changes = new ArrayList<>();
        Map<Integer, Vf> present = new HashMap<>();
        if (!makesVfs()) {
            pf.vfs().forEach(vf -> present.put(vf.index(), vf));
        }
        for (int index = 0; index < wanted.count(); index++) {
            Optional<Vf> vf = Optional.ofNullable(present.get(index));
            if (vf.isEmpty()) {
                changes.add(new VfChange(index, Optional.empty(), settings(index), guid(index), !isLeftUnbound()));
            } else {
                change(vf.orElseThrow()).ifPresent(changes::add);
            }
        }
        return changes;
    }

    /** Nothing of a VF that is as wanted, and nothing of one that somebody holds. */
    private Optional<VfChange> change(Vf vf) {
        boolean isBound = vf.driver().isPresent();
        boolean hasDriver = wanted.driver().isPresent()
                ? vf.driver().equals(wanted.driver())
                : vf.override().isEmpty() && (isBound || isLeftUnbound());
        Step.Vf actual = reading.settings().getOrDefault(vf.index(), Step.Vf.NONE);
        // one that has its driver was finished, and what nobody tells of it is as it was made then
        Step.Vf settings = hasDriver ? settings(vf.index()).differingFrom(actual) : settings(vf.index());
        if (hasDriver && actual.isEmpty() && !settings(vf.index()).isEmpty() && !notes.contains(UNKNOWN)) {
            notes.add(UNKNOWN);
        }
        Optional<String> guid = guid(vf.index()).filter(one -> !hasDriver || differs(one, vf.nodeGuid()));
        // a driver reads the address when it is bound
        boolean isRebound =
                !hasDriver || (isBound && (settings.mac().isPresent() || guid.isPresent() || switchesWithVfs()));
        VfChange change = new VfChange(vf.index(), vf.driver(), settings, guid, isRebound);
        if (!isRebound && settings.isEmpty()) {
            return Optional.empty();
        }
        Optional<PfPlan.Held> holder = holder(vf);
        holder.ifPresent(one -> {
            held.add(one);
            problems.add(vf.address() + " is left as it is, since it is in use: "
                    + (isRebound
                            ? "it is to be bound anew"
                                    + wanted.driver().map(to -> " to " + to).orElse("")
                            : "")
                    + (isRebound && !settings.isEmpty() ? ", with " : "") + settings.text());
        });
        return holder.isPresent() ? Optional.empty() : Optional.of(change);
    }

    /** Whether somebody has told the kernel to bind no VF of this PF by itself. */
    private boolean isLeftUnbound() {
        return wanted.driver().isEmpty() && !pf.probesDrivers() && !reading.isAutoprobeLeftOff();
    }

    private static boolean differs(String guid, Optional<String> actual) {
        return actual.map(VfsPlanner::digits)
                .filter(digits -> !digits.equals(digits(guid)))
                .isPresent();
    }

    private static String digits(String guid) {
        return guid.replace(":", "");
    }

    private Step.Vf settings(int index) {
        Step.Vf all = wanted.settings(reading.address().orElse(""), index);
        return isInfiniband() ? all.withMac(Optional.empty()) : all;
    }

    private Optional<String> guid(int index) {
        Optional<String> own =
                pf.device().rdmaDevices().stream().map(RdmaDevice::nodeGuid).findFirst();
        return isInfiniband() ? wanted.guid().guid(own.orElse(""), index) : Optional.empty();
    }

    /** The VFs that a plan without holders would touch, so that only for these it is looked who holds them. */
    static Set<PciAddress> touched(PfPlan plan) {
        Set<PciAddress> touched = new HashSet<>(plan.lost());
        boolean isSwitched = plan.steps().stream().anyMatch(step -> step instanceof VfsStep.Eswitch);
        for (Vf vf : plan.pf().vfs()) {
            if (isSwitched
                    || plan.steps().stream().anyMatch(step -> step.vf().stream().anyMatch(i -> i == vf.index()))) {
                touched.add(vf.address());
            }
        }
        return touched;
    }
}
