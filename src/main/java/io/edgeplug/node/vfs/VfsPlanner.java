package io.edgeplug.node.vfs;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PhysicalFunction;
import io.edgeplug.model.device.PhysicalFunction.Vf;
import io.edgeplug.model.rules.VfGroups;
import io.edgeplug.model.rules.WantedVfs.EswitchMode;
import io.edgeplug.node.vfs.VfChanges.VfChange;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Plans one PF: a pure function of the entry, the state of the PF, and the holders of VFs.
 *
 * <p>The order of the steps is required by the kernel and drivers. No driver is bound to a new VF before the PF has all
 * of its settings. The eswitch changes without VFs, or for mlx5 with unbound VFs.
 */
final class VfsPlanner {

    /** This driver changes its eswitch while there are VFs, if they are unbound. */
    private static final String MLX5 = "mlx5_core";

    /** This driver makes VFs when it is loaded, and has no sriov_configure for sysfs. */
    private static final String MLX4 = "mlx4_core";

    /** This driver makes VFs only while its interface is up. */
    private static final String BNXT = "bnxt_en";

    private final VfGroups wanted;
    private final PfReading reading;
    private final PhysicalFunction pf;
    private final Map<PciAddress, String> holders;

    private final List<VfsStep> steps = new ArrayList<>();
    private final List<PfPlan.Held> held = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    private VfsPlanner(VfGroups wanted, PfReading reading, Map<PciAddress, String> holders) {
        this.wanted = wanted;
        this.reading = reading;
        this.pf = reading.pf();
        this.holders = holders;
    }

    /**
     * Plans a PF.
     *
     * @param holders why the PF or VFs must not be touched, by their addresses
     */
    static PfPlan plan(VfGroups wanted, PfReading reading, Map<PciAddress, String> holders) {
        return new VfsPlanner(wanted, reading, holders).plan();
    }

    /**
     * The functions that a plan without holders would touch, so that only their holders are looked up. A PF that has VFs
     * is never handed over.
     */
    static Set<PciAddress> touched(PfPlan plan) {
        Set<PciAddress> touched = new HashSet<>(plan.lost());
        if (plan.pf().vfs().isEmpty() && !plan.steps().isEmpty()) {
            touched.add(plan.pf().address());
        }
        boolean touchesAll = plan.steps().stream().anyMatch(step -> step instanceof VfsStep.Eswitch);
        for (Vf vf : plan.pf().vfs()) {
            if (touchesAll
                    || plan.steps().stream()
                            .anyMatch(step -> step.vf().stream().anyMatch(index -> index == vf.index()))) {
                touched.add(vf.address());
            }
        }
        return touched;
    }

    private PfPlan plan() {
        List<PciAddress> lost = List.of();
        findObstacle().ifPresent(problems::add);
        if (problems.isEmpty()) {
            lost = removesVfs() ? pf.vfs().stream().map(Vf::address).toList() : List.of();
            boolean touchesAll = !lost.isEmpty() || switchesWithVfs();
            if (!touchesAll || !refuse()) {
                addSteps();
            }
        }
        noteAddresses();
        return new PfPlan(pf, Optional.of(wanted), steps, lost, held, problems, notes);
    }

    private Optional<String> findObstacle() {
        Optional<String> holder = Optional.ofNullable(holders.get(pf.address()));
        if (holder.isPresent()) {
            return holder.map(text -> "is left as it is, because it is in use: " + text);
        }
        Optional<String> objection = wanted.kept().use(pf.device()).objection();
        if (modeDiffers() && objection.isPresent()) {
            return objection.map(text -> "cannot change its eswitch, which may replace its interface: " + text);
        }
        if (pf.driver().equals(Optional.of(MLX4)) && wanted.count() != pf.count()) {
            return Optional.of(
                    "cannot be given VFs while its driver runs, which is mlx4_core: put \"options mlx4_core num_vfs="
                            + wanted.count() + "\" into /etc/modprobe.d and boot");
        }
        if (wanted.count() == 0) {
            return Optional.empty();
        }
        if (pf.totalVfs() == 0) {
            return Optional.of(
                    "can have no VFs: sriov_totalvfs is 0, so SR-IOV is off in the adapter's firmware or in the BIOS");
        }
        if (wanted.count() > pf.totalVfs()) {
            return Optional.of("can have " + pf.totalVfs() + " VFs at most, not " + wanted.count());
        }
        if (pf.driver().isEmpty()) {
            return Optional.of("has no driver, which makes the VFs");
        }
        if (pf.port().isEmpty() && modeDiffers()) {
            return Optional.of("has no network interface, so its eswitch stays as it is");
        }
        if (pf.port().isEmpty() && wanted.needsInterface()) {
            return Optional.of("has no network interface, through which its VFs get their settings");
        }
        return lackOfAddress();
    }

    /** Derived from nothing, the addresses would be the same on all nodes. */
    private Optional<String> lackOfAddress() {
        boolean isLacking = reading.isInfiniband()
                ? wanted.derivesGuid() && reading.nodeGuid().isEmpty()
                : wanted.derivesMac() && reading.address().isEmpty();
        return isLacking
                ? Optional.of("shows no " + (reading.isInfiniband() ? "node GUID" : "MAC address")
                        + " now, from which those of its VFs are derived")
                : Optional.empty();
    }

    private void noteAddresses() {
        if (reading.isInfiniband() && wanted.setsMac()) {
            notes.add("mac is not for InfiniBand, whose VFs have a guid");
        }
        if (!reading.isInfiniband() && wanted.setsGuid()) {
            notes.add("guid is for InfiniBand, which this PF is not");
        }
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

    /** Refuses steps that affect all VFs if somebody holds one of them. */
    private boolean refuse() {
        pf.vfs()
                .forEach(vf -> Optional.ofNullable(holders.get(vf.address()))
                        .ifPresent(holder -> held.add(new PfPlan.Held(vf.index(), vf.address(), holder))));
        if (!held.isEmpty()) {
            String why = !removesVfs()
                    ? "cannot change its eswitch while VFs are bound to drivers"
                    : pf.count() == wanted.count()
                            ? "cannot change its eswitch while it has VFs"
                            : "has " + pf.count() + " and not " + wanted.count()
                                    + " VFs, and the kernel can only remove all at once";
            problems.add(
                    why + ": left as it is, since " + (held.size() == 1 ? "one is" : held.size() + " are") + " in use");
        }
        return !held.isEmpty();
    }

    private void addSteps() {
        boolean makes = makesVfs();
        if (makes && pf.driver().equals(Optional.of(BNXT))) {
            addUp();
        }
        boolean silences = makes && pf.probesDrivers().equals(Optional.of(true));
        if (silences) {
            steps.add(new VfsStep.Autoprobe(false));
        }
        if (removesVfs()) {
            steps.add(new VfsStep.Count(0));
        }
        if (modeDiffers() && !isModeLast()) {
            addEswitch();
        }
        if (makes) {
            steps.add(new VfsStep.Count(wanted.count()));
        }
        if (makes || pf.vfs().size() < wanted.count()) {
            steps.add(new VfsStep.Links(wanted.count()));
        }
        List<VfChange> changes = changes();
        changes.forEach(change -> change.boundTo()
                .filter(driver -> change.isRebound())
                .ifPresent(driver -> steps.add(new VfsStep.Unbind(change.index(), driver))));
        if (modeDiffers() && isModeLast()) {
            addEswitch();
        }
        addMtu();
        changes.forEach(this::addSettings);
        // A VF that the kernel must not probe cannot be bound by hand either, see pci_device_can_probe.
        if (silences || reading.isAutoprobeLeftOff()) {
            steps.add(new VfsStep.Autoprobe(true));
        }
        addBinds(changes.stream().filter(VfChange::isRebound).toList());
        if (wanted.count() > 0) {
            addUp();
        }
    }

    private List<VfChange> changes() {
        VfChanges changes = new VfChanges(wanted, reading, holders, makesVfs(), switchesWithVfs());
        List<VfChange> all = changes.all();
        held.addAll(changes.held());
        problems.addAll(changes.problems());
        changes.note().ifPresent(notes::add);
        return all;
    }

    private void addEswitch() {
        wanted.eswitch().ifPresent(mode -> steps.add(new VfsStep.Eswitch(mode)));
    }

    private void addMtu() {
        if (wanted.mtu().isPresent()
                && !pf.port().map(PhysicalFunction.Port::mtu).equals(Optional.of(wanted.mtu()))) {
            steps.add(new VfsStep.Mtu(wanted.mtu().orElseThrow()));
        }
    }

    private void addSettings(VfChange change) {
        if (!change.settings().isEmpty()) {
            steps.add(new VfsStep.Settings(change.index(), change.settings()));
        }
        change.guid().ifPresent(guid -> steps.add(new VfsStep.Guid(change.index(), guid)));
    }

    /** A driver that cannot be loaded is reported before anything is changed. */
    private void addBinds(List<VfChange> bound) {
        bound.stream()
                .flatMap(change -> wanted.driver(change.index()).stream())
                .distinct()
                .filter(driver -> !reading.drivers().contains(driver))
                .forEach(driver -> steps.addFirst(new VfsStep.Load(driver)));
        bound.forEach(change -> steps.add(new VfsStep.Bind(change.index(), wanted.driver(change.index()))));
    }

    private void addUp() {
        VfsStep up = new VfsStep.Up();
        if (pf.port().flatMap(PhysicalFunction.Port::isUp).equals(Optional.of(false)) && !steps.contains(up)) {
            steps.add(up);
        }
    }
}
