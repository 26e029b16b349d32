package io.edgeplug.cli.notes;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.OtherPci;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PciFunction;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.SelectorWord;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Notes on AMD Alveo cards that are no FPGA for edgeplug: their user function is missing, or has no driver. A card has a
 * management function and, once its platform is flashed, a user function beside it.
 */
public final class FpgaNotes {

    private static final int XILINX = 0x10ee;

    /** Processing accelerators, of which Xilinx makes no others with this class. */
    private static final int ACCELERATOR = 0x12;

    /** The function that a card shows if neither of its images can be loaded. */
    private static final int RECOVERY = 0xabcd;

    private static final Set<String> MANAGEMENT = Set.of("xclmgmt", "xrt-mgmt", "xmgmt");
    private static final String USER_DRIVER = "xocl";

    private FpgaNotes() {}

    /** A line for each function of a card that a class is meant for and that cannot be used yet. */
    public static List<String> of(DeviceClass one, List<Device> devices) {
        boolean isMeant = one.kind() == Kind.FPGA
                && one.selectors().stream().anyMatch(selector -> {
                    List<String> vendors = selector.values(SelectorWord.VENDORS);
                    return vendors.isEmpty()
                            || vendors.stream()
                                    .anyMatch(vendor ->
                                            vendor.toLowerCase(Locale.ROOT).endsWith("10ee"));
                });
        return devices.stream()
                .filter(device -> isMeant)
                .flatMap(device -> of(device, devices).map(text -> device.id() + " " + text).stream())
                .toList();
    }

    /** What is missing, as a sentence about the device; empty if nothing is. */
    public static Optional<String> of(Device device, List<Device> devices) {
        if (!(device instanceof OtherPci pci) || pci.function().vendor() != XILINX) {
            return Optional.empty();
        }
        PciFunction function = pci.function();
        if (isManagement(function)) {
            return hasUserFunction(function, devices)
                    ? Optional.empty()
                    : Optional.of("is only the management function of an Alveo card, whose user function is missing:"
                            + " the card has its golden image, or was flashed and not power-cycled; flash its platform"
                            + " with xbmgmt program --base, and switch the node off and on");
        }
        if (function.driver().isPresent()) {
            return Optional.empty();
        }
        if (function.device() == RECOVERY) {
            return Optional.of("is an Alveo card in recovery, because neither of its images could be loaded: flash it"
                    + " over JTAG or its satellite controller, and switch the node off and on");
        }
        return function.classCode() >> 16 == ACCELERATOR
                ? Optional.of("has no driver: the driver " + USER_DRIVER + " makes the user function of an Alveo card"
                        + " kind fpga, and the driver xclmgmt drives its management function; install XRT, or run"
                        + " modprobe " + USER_DRIVER)
                : Optional.empty();
    }

    private static boolean isManagement(PciFunction function) {
        return function.driver().filter(MANAGEMENT::contains).isPresent();
    }

    /** Whether another function of the card is there, with its driver or without. */
    private static boolean hasUserFunction(PciFunction management, List<Device> devices) {
        return devices.stream()
                .filter(PciDevice.class::isInstance)
                .map(device -> ((PciDevice) device).function())
                .anyMatch(other -> isOfSameCard(other.address(), management.address())
                        && !isManagement(other)
                        && other.vendor() == XILINX);
    }

    private static boolean isOfSameCard(PciAddress one, PciAddress other) {
        return one.domain() == other.domain() && one.bus() == other.bus() && !one.equals(other);
    }
}
