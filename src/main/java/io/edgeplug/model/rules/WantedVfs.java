package io.edgeplug.model.rules;

import io.edgeplug.model.device.PciDevice;
import io.edgeplug.system.flow.Worded;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The VFs that an administrator wants of some PFs: one {@code [[vfs]]} of the configuration.
 *
 * @param place its file and line, for a person
 * @param match selects the PFs
 * @param count how many VFs each of them has
 * @param vfs the numbers of the VFs that the entry is for; none for all, or for those of no other entry
 * @param driver of the VFs; empty for the one that the kernel chooses
 * @param settings that the PF has for each VF, except its MAC address
 * @param mtu of the PF, which is the highest that a VF can have
 * @param eswitch how the adapter connects its VFs; empty to leave it as it is
 * @param rdmaNetns how the node's network namespaces should share RDMA devices; empty if that does not matter
 * @param kept functions that the node uses itself, which stay as they are
 */
public record WantedVfs(
        String place,
        Selector match,
        int count,
        BitSet vfs,
        Optional<String> driver,
        VfAddresses mac,
        VfAddresses guid,
        Step.Vf settings,
        OptionalInt mtu,
        Optional<EswitchMode> eswitch,
        Optional<RdmaNetns> rdmaNetns,
        KeptFunctions kept) {

    public WantedVfs {
        vfs = (BitSet) vfs.clone();
    }

    /** Properties that a PF has from power-on, whatever its driver does. */
    private static final Set<SelectorWord> LASTING = EnumSet.of(
            SelectorWord.VENDORS, SelectorWord.DEVICES, SelectorWord.PCI_ADDRESSES, SelectorWord.ROOT_DEVICES);

    /** How an adapter connects its VFs; see Documentation/networking/devlink/devlink-eswitch-attr.rst in the kernel. */
    public enum EswitchMode implements Worded {
        LEGACY,
        /** With a representor of each VF on the node. */
        SWITCHDEV
    }

    /** How network namespaces share RDMA devices; see rdma-system(8). */
    public enum RdmaNetns implements Worded {
        SHARED,
        EXCLUSIVE
    }

    public boolean takes(PciDevice pf) {
        return match.mismatch(pf).isEmpty();
    }

    /**
     * Whether the entry may take the PF once a driver is bound and udev has named its interface.
     *
     * @param isNamed whether udev has named it
     */
    public boolean mayTake(PciDevice pf, boolean isNamed) {
        Set<SelectorWord> settled = EnumSet.copyOf(LASTING);
        if (pf.driver().isPresent()) {
            settled.add(SelectorWord.DRIVERS);
        }
        if (isNamed) {
            settled.add(SelectorWord.PF_NAMES);
        }
        return match.takesBy(settled, pf);
    }

    /** Whether a setting is made or read through the PF's interface, such as the mode of the eswitch. */
    public boolean needsInterface() {
        return eswitch.isPresent()
                || mac.source() != VfAddresses.Source.KEEP
                || guid.source() != VfAddresses.Source.KEEP
                || mtu.isPresent()
                || !settings.isEmpty();
    }

    /** The settings of one VF whose PF has that address. */
    public Step.Vf settings(String pfAddress, int vf) {
        return settings.withMac(mac.mac(pfAddress, vf).orElse(null));
    }

    /** The wanted VFs, for a person: {@code 4 VFs, driver vfio-pci, mac fixed}. */
    public String text() {
        List<String> parts = new ArrayList<>();
        parts.add(vfs.isEmpty() ? count + (count == 1 ? " VF" : " VFs") : "VF " + VfGroups.text(vfs) + " of " + count);
        eswitch.ifPresent(mode -> parts.add("eswitch " + mode.word()));
        driver.ifPresent(name -> parts.add("driver " + name));
        mtu.ifPresent(bytes -> parts.add("mtu " + bytes));
        if (mac.source() != VfAddresses.Source.KEEP) {
            parts.add("mac " + mac);
        }
        if (guid.source() != VfAddresses.Source.KEEP) {
            parts.add("guid " + guid);
        }
        if (!settings.text().isEmpty()) {
            parts.add(settings.text());
        }
        return String.join(", ", parts);
    }
}
