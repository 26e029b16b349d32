package io.edgeplug.model.rules;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PciFunction;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.system.flow.Worded;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A key of {@code [class.match]}. The keys have the names of the SR-IOV network device plugin's selectors.
 *
 * <p>Each key has the scope of devices that it can match, the form of its values, and the texts that it compares on a
 * device.
 */
public enum SelectorWord implements Worded {
    /** PCI vendor IDs. */
    VENDORS(Scope.FUNCTION, ValueForm::functionId, SelectorFacts::vendors),
    /** PCI device IDs. */
    DEVICES(Scope.FUNCTION, ValueForm::functionId, device -> ofFunction(device, SelectorFacts::device)),
    /** PCI class codes of two, four or six digits: base class, subclass, programming interface. */
    CLASSES(Scope.FUNCTION, ValueForm::classCode, device -> ofFunction(device, SelectorFacts::classCode)),
    /** Names of bound drivers, as patterns. */
    DRIVERS(Scope.FUNCTION, ValueForm::name, SelectorFacts::drivers),
    /** Addresses of functions. */
    PCI_ADDRESSES(Scope.FUNCTION, ValueForm::address, device -> ofFunction(device, SelectorFacts::address)),
    /** Indexes that the firmware gives to onboard devices (ACPI _DSM). */
    ACPI_INDEXES(Scope.FUNCTION, ValueForm::index, device -> ofFunction(device, SelectorFacts::acpiIndex)),
    /** Network interfaces of PFs as patterns, with or without the numbers of their VFs: {@code ens1f0#0,2-7}. */
    PF_NAMES(Scope.NETWORK, ValueForm::pfName, SelectorFacts::pfNames),
    /** Addresses of PFs, with or without the numbers of their VFs: {@code 0000:86:00.0#0-1,3}. */
    ROOT_DEVICES(Scope.NETWORK, ValueForm::rootDevice, SelectorFacts::rootDevice),
    /** Types of links, of interfaces and RDMA ports: {@code ether} or {@code infiniband}. */
    LINK_TYPES(Scope.NETWORK, ValueForm::linkType, SelectorFacts::linkTypes),
    /** Whether there is an RDMA device: {@code true} or {@code false}. */
    IS_RDMA(
            Scope.NETWORK,
            ValueForm::truth,
            device -> List.of(String.valueOf(!device.rdmaDevices().isEmpty()))),
    /** InfiniBand partition keys, of which a port's first counts. */
    P_KEYS(Scope.NETWORK, ValueForm::partitionKey, SelectorFacts::partitionKeys),
    /** Types of auxiliary devices as patterns: {@code sf}, {@code rdma}. */
    AUX_TYPES(Scope.NETWORK, ValueForm::name, SelectorFacts::auxiliaryTypes),
    /** How vDPA devices are used: {@code vhost} or {@code virtio}. */
    VDPA_TYPE(Scope.NETWORK, ValueForm::vdpaType, SelectorFacts::vdpaTypes),
    /** Images in FPGA regions. */
    AFU_IDS(Scope.FPGA, ValueForm::fpgaId, SelectorFacts::afuIds),
    /** IDs for which bitstreams of an FPGA region must be made. */
    COMPAT_IDS(Scope.FPGA, ValueForm::fpgaId, SelectorFacts::compatIds),
    /** Files, as absolute paths in which {@code *} and {@code ?} match within a name. */
    PATHS(Scope.FILE, ValueForm::path, device -> device instanceof PathDevice path ? List.of(path.path()) : List.of()),
    /** Product IDs of USB devices. */
    PRODUCTS(Scope.USB, ValueForm::functionId, device -> ofUsb(device, usb -> List.of(usb.product()))),
    /** Serial numbers of USB devices, as patterns. */
    SERIALS(
            Scope.USB,
            ValueForm::name,
            device -> ofUsb(device, usb -> usb.serial().stream().toList())),
    /** Ports of USB devices: {@code 1-4.2}. */
    PORTS(
            Scope.USB,
            ValueForm::usbPort,
            device -> ofUsb(device, usb -> List.of(usb.port().path()))),
    /** Class codes of USB interfaces of two, four or six digits: class, subclass, protocol. */
    INTERFACE_CLASSES(Scope.USB, ValueForm::classCode, device -> ofUsb(device, UsbDevice::interfaceClasses));

    private final Scope scope;

    @SuppressWarnings("ImmutableEnumChecker") // the functions hold no state
    private final Function<String, Predicate<String>> form;

    @SuppressWarnings("ImmutableEnumChecker")
    private final Function<Device, List<String>> facts;

    SelectorWord(Scope scope, Function<String, Predicate<String>> form, Function<Device, List<String>> facts) {
        this.scope = scope;
        this.form = form;
        this.facts = facts;
    }

    /** The kinds of devices that a key can match at all. */
    private enum Scope {
        FUNCTION,
        NETWORK,
        FPGA,
        FILE,
        USB
    }

    /** Whether the key can match a device of that kind at all. */
    public boolean concerns(Kind kind) {
        return switch (kind) {
            case VF, NIC, HCA, SF -> scope == Scope.FUNCTION || scope == Scope.NETWORK;
            case FPGA -> scope == Scope.FUNCTION || scope == Scope.FPGA;
            case PCI -> scope == Scope.FUNCTION;
            case PATH -> scope == Scope.FILE;
            case USB -> scope == Scope.USB || this == VENDORS || this == DRIVERS;
        };
    }

    /** Whether the value is {@code true} or {@code false}, and not an array of strings. */
    public boolean isBoolean() {
        return this == IS_RDMA;
    }

    /** The device's value for this key, for a person. */
    String actual(Device device) {
        List<String> found = facts.apply(device);
        return found.isEmpty() ? "none" : String.join(", ", found);
    }

    /** The mistake in the form of a value of this key. */
    public Optional<String> problem(String text) {
        try {
            compile(text);
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.ofNullable(e.getMessage());
        }
    }

    /**
     * The condition for one value of this key.
     *
     * @throws IllegalArgumentException if the value has a wrong form; the message says the right one
     */
    public Predicate<Device> compile(String text) {
        Predicate<String> wanted = form.apply(text);
        return device -> facts.apply(device).stream().anyMatch(wanted);
    }

    private static List<String> ofUsb(Device device, Function<UsbDevice, List<String>> facts) {
        return device instanceof UsbDevice usb ? facts.apply(usb) : List.of();
    }

    private static List<String> ofFunction(Device device, Function<PciFunction, List<String>> facts) {
        return device instanceof PciDevice pci ? facts.apply(pci.function()) : List.of();
    }
}
