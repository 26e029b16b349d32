package io.edgeplug.vfs;

import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PhysicalFunction;
import io.edgeplug.device.PhysicalFunction.Vf;
import io.edgeplug.device.RdmaDevice;
import io.edgeplug.rules.Step;
import io.edgeplug.rules.WantedVfs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Compares each VF of a PF with the wanted state. VFs in use are left as they are. */
final class VfChanges {

    private final WantedVfs wanted;
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
            WantedVfs wanted,
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
            if (!change.isNothing() && vf.filter(one -> isHeld(one, change)).isEmpty()) {
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
        return new VfChange(index, Optional.empty(), settings(index), guid(index), !isLeftUnbound());
    }

    private VfChange change(Vf vf) {
        boolean isBound = vf.driver().isPresent();
        boolean hasDriver = wanted.driver().isPresent()
                ? vf.driver().equals(wanted.driver())
                : vf.override().isEmpty() && (isBound || isLeftUnbound());
        Step.Vf all = settings(vf.index());
        Step.Vf actual = reading.settings().getOrDefault(vf.index(), Step.Vf.NONE);
        isUnknown |= hasDriver && actual.isEmpty() && !all.isEmpty();
        // A VF with its driver was finished. A setting that nobody reports is as it was made then.
        Step.Vf settings = hasDriver ? all.differingFrom(actual) : all;
        Optional<String> guid = guid(vf.index()).filter(one -> !hasDriver || differs(one, vf.nodeGuid()));
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
                        + wanted.driver().map(driver -> ", to " + driver).orElse(""));
            }
            if (!change.settings().isEmpty()) {
                undone.add("given " + change.settings().text());
            }
            change.guid().ifPresent(guid -> undone.add("given the GUID " + guid));
            problems.add("VF " + vf.index() + " is not " + String.join(" and ", undone) + ", because it is in use");
        });
        return holder.isPresent();
    }

    /** Whether somebody has told the kernel not to bind the VFs of this PF by itself. */
    private boolean isLeftUnbound() {
        return wanted.driver().isEmpty()
                && pf.probesDrivers().equals(Optional.of(false))
                && !reading.isAutoprobeLeftOff();
    }

    private Step.Vf settings(int index) {
        Step.Vf all = wanted.settings(reading.address().orElse(""), index);
        return reading.isInfiniband() ? all.withMac(Optional.empty()) : all;
    }

    private Optional<String> guid(int index) {
        Optional<String> own =
                pf.device().rdmaDevices().stream().map(RdmaDevice::nodeGuid).findFirst();
        return reading.isInfiniband() ? wanted.guid().guid(own.orElse(""), index) : Optional.empty();
    }

    private static boolean differs(String guid, Optional<String> actual) {
        return actual.filter(one -> !one.replace(":", "").equals(guid.replace(":", "")))
                .isPresent();
    }
}
