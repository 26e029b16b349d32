package io.edgeplug.node.vfs;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PhysicalFunction;
import io.edgeplug.model.device.PhysicalFunction.Vf;
import io.edgeplug.model.rules.Step;
import io.edgeplug.model.rules.VfAddresses;
import io.edgeplug.model.rules.VfGroups;
import io.edgeplug.model.rules.WantedVfs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Compares each VF of a PF with the wanted state. VFs in use are left as they are. */
final class VfChanges {

    /**
     * The changes to one VF.
     *
     * @param boundTo the driver that has it now
     * @param settings that its PF must set
     * @param guid that it gets; empty if it keeps its own
     * @param isRebound whether it is unbound meanwhile, and bound at the end
     */
    record VfChange(int index, Optional<String> boundTo, Step.Vf settings, Optional<String> guid, boolean isRebound) {

        boolean isNothing() {
            return settings.isEmpty() && guid.isEmpty() && !isRebound;
        }
    }

    private final VfGroups wanted;
    private final PfReading reading;
    private final PhysicalFunction pf;
    private final Map<PciAddress, String> holders;
    private final boolean areNew;
    private final boolean switchesWithVfs;

    private final List<PfPlan.Held> held = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private boolean isUnknown;

    /**
     * The changes of a PF.
     *
     * @param areNew whether all present VFs are replaced
     * @param switchesWithVfs whether VFs are unbound while the eswitch changes
     */
    VfChanges(
            VfGroups wanted,
            PfReading reading,
            Map<PciAddress, String> holders,
            boolean areNew,
            boolean switchesWithVfs) {
        this.wanted = wanted;
        this.reading = reading;
        this.pf = reading.pf();
        this.holders = holders;
        this.areNew = areNew;
        this.switchesWithVfs = switchesWithVfs;
    }

    /** The VFs that differ from the wanted state and may be changed. */
    List<VfChange> all() {
        Map<Integer, Vf> present = new HashMap<>();
        if (!areNew) {
            pf.vfs().forEach(vf -> present.put(vf.index(), vf));
        }
        List<VfChange> changes = new ArrayList<>();
        for (int index = 0; index < wanted.count(); index++) {
            Optional<Vf> vf = Optional.ofNullable(present.get(index));
            VfChange change = vf.map(this::change).orElse(made(index));
            if (!change.isNothing()
                    && vf.filter(one -> isHeld(one, change) || lacksIommu(one, change))
                            .isEmpty()) {
                changes.add(change);
            }
        }
        return changes;
    }

    /** The VFs that differ from the wanted state and must not be changed. */
    List<PfPlan.Held> held() {
        return held;
    }

    /** The changes that are not made to them. */
    List<String> problems() {
        return problems;
    }

    /** A note for people who read the changes. */
    Optional<String> note() {
        return isUnknown
                ? Optional.of("the settings of its VFs are not known here, and count as wanted")
                : Optional.empty();
    }

    private VfChange made(int index) {
        return new VfChange(index, Optional.empty(), settings(index), guid(index), !isLeftUnbound(index));
    }

    private VfChange change(Vf vf) {
        boolean isBound = vf.driver().isPresent();
        Optional<WantedVfs> entry = wanted.of(vf.index());
        Optional<String> driver = wanted.driver(vf.index());
        boolean hasDriver = entry.isEmpty()
                || (driver.isPresent()
                        ? vf.driver().equals(driver)
                        : vf.override().isEmpty() && (isBound || isLeftUnbound(vf.index())));
        Step.Vf all = settings(vf.index());
        Step.Vf actual = reading.settings().getOrDefault(vf.index(), Step.Vf.NONE);
        isUnknown |= hasDriver && actual.isEmpty() && !all.isEmpty();
        // A VF with its driver was finished. A setting that nobody reports is as it was made then.
        Step.Vf settings = hasDriver ? all.differingFrom(actual) : all;
        Optional<String> guid = guid(vf.index())
                .filter(one -> !hasDriver || differs(one, vf.nodeGuid().orElse(one)));
        // A driver reads the address when it is bound.
        boolean isReadAnew = isBound && (settings.mac().isPresent() || guid.isPresent());
        return new VfChange(
                vf.index(), vf.driver(), settings, guid, !hasDriver || isReadAnew || (isBound && switchesWithVfs));
    }

    private boolean isHeld(Vf vf, VfChange change) {
        Optional<String> holder = Optional.ofNullable(holders.get(vf.address()));
        holder.ifPresent(text -> {
            held.add(new PfPlan.Held(vf.index(), vf.address(), text));
            List<String> undone = new ArrayList<>();
            if (change.isRebound()) {
                undone.add("bound anew"
                        + wanted.driver(vf.index())
                                .map(driver -> ", to " + driver)
                                .orElse(""));
            }
            if (!change.settings().isEmpty()) {
                undone.add("given " + change.settings().text());
            }
            change.guid().ifPresent(guid -> undone.add("given the GUID " + guid));
            problems.add("VF " + vf.index() + " is not " + String.join(" and ", undone) + ", because it is in use");
        });
        return holder.isPresent();
    }

    /** Whether it would lose its driver, and VFIO could not take it. */
    private boolean lacksIommu(Vf vf, VfChange change) {
        Optional<String> driver = wanted.driver(vf.index()).filter(name -> name.startsWith("vfio"));
        boolean lacks =
                change.isRebound() && driver.isPresent() && vf.iommuGroup().isEmpty() && !reading.isIommuOptional();
        if (lacks) {
            problems.add("VF " + vf.index() + " is not bound to " + driver.orElseThrow()
                    + ": it has no IOMMU group; switch the IOMMU on in the BIOS and the kernel");
        }
        return lacks;
    }

    /** Whether somebody has told the kernel not to bind the VFs of this PF by itself. */
    private boolean isLeftUnbound(int index) {
        return wanted.driver(index).isEmpty()
                && pf.probesDrivers().equals(Optional.of(false))
                && !reading.isAutoprobeLeftOff();
    }

    private Step.Vf settings(int index) {
        Step.Vf all = wanted.of(index)
                .map(entry -> entry.settings(reading.address().orElse(""), index))
                .orElse(Step.Vf.NONE);
        return reading.isInfiniband() ? all.withMac(null) : all;
    }

    private Optional<String> guid(int index) {
        VfAddresses guid = wanted.of(index).map(WantedVfs::guid).orElse(VfAddresses.KEEP);
        return reading.isInfiniband() ? guid.guid(reading.nodeGuid().orElse(""), index) : Optional.empty();
    }

    private static boolean differs(String guid, String actual) {
        return !actual.replace(":", "").equals(guid.replace(":", ""));
    }
}
