package io.edgeplug.cli.notes;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PfPart;
import io.edgeplug.model.device.RdmaDevice;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.model.rules.VfRange;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Hints at names in {@code pf_names} that are those of something else: a VF's own interface, an RDMA device or a bond. */
record PfNames(List<Device> devices, Sysfs sysfs) {

    private static final String KEY = SelectorWord.PF_NAMES.word() + ": ";

    /** A line for each such name of a selector, with the name to write instead. */
    List<String> of(Selector selector) {
        List<String> notes = new ArrayList<>();
        for (String text : selector.values(SelectorWord.PF_NAMES)) {
            String name = VfRange.pf(text);
            ofPart(name).or(() -> ofRdma(name)).or(() -> ofBond(name)).ifPresent(note -> notes.add(KEY + name + note));
        }
        return notes;
    }

    private Optional<String> ofPart(String name) {
        return devices.stream()
                .filter(PfPart.class::isInstance)
                .map(PfPart.class::cast)
                .filter(part -> part.function().allNetNames().contains(name))
                .findFirst()
                .map(part -> " is the interface of " + part.id() + ", which is of kind "
                        + part.kind().word() + ": write " + interfaces(part));
    }

    private Optional<String> ofRdma(String name) {
        return devices.stream()
                .filter(PciDevice.class::isInstance)
                .map(PciDevice.class::cast)
                .filter(device ->
                        device.rdmaDevices().stream().map(RdmaDevice::name).anyMatch(name::equals))
                .findFirst()
                .map(device -> " is the RDMA device of " + device.id() + ": write " + interfaces(device));
    }

    /** The name of the PF, and how to name this part of it alone. */
    private static String interfaces(PciDevice device) {
        if (!(device instanceof PfPart part)) {
            List<String> own = device.function().netNames();
            return own.isEmpty()
                    ? "root_devices = [\"" + device.function().address() + "\"]"
                    : String.join(" or ", own);
        }
        return part.physicalNetNames().stream()
                .findFirst()
                .map(pf -> "the PF, " + pf + ", or " + pf + "#" + part.index() + " for this device alone")
                .orElse("root_devices = [\"" + part.physicalFunction() + "\"]");
    }

    private Optional<String> ofBond(String name) {
        try {
            return name.contains("/")
                    ? Optional.empty()
                    : sysfs.read("sys/class/net/" + name + "/bonding/slaves")
                            .map(ports -> " is a bond"
                                    + (ports.isBlank()
                                            ? " without ports"
                                            : ": write its ports, "
                                                    + String.join(
                                                            ", ", ports.strip().split("\\s+"))));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
