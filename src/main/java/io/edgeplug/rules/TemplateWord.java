package io.edgeplug.rules;

import io.edgeplug.device.Device;
import io.edgeplug.device.Fpga;
import io.edgeplug.device.Kind;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.PciFunction;
import io.edgeplug.device.PfPart;
import io.edgeplug.device.RdmaDevice;
import io.edgeplug.device.SoftwareHca;
import io.edgeplug.device.VirtualFunction;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/** The words of a {@link Template}, such as {@code {id}}. */
public enum TemplateWord {
    /** The device's ID. */
    ID {
        @Override
        Optional<String> of(Device device) {
            return Optional.of(device.id());
        }
    },
    /** The address of its PCI function. */
    BDF {
        @Override
        Optional<String> of(Device device) {
            return function(device).map(function -> function.address().toString());
        }
    },
    /** The nearest NUMA node. */
    NUMA_NODE {
        @Override
        Optional<String> of(Device device) {
            return text(device.numaNode());
        }
    },
    /** The bound driver. */
    DRIVER {
        @Override
        Optional<String> of(Device device) {
            return device.driver();
        }
    },
    /** Its IOMMU group. */
    IOMMU_GROUP {
        @Override
        Optional<String> of(Device device) {
            return function(device).flatMap(function -> text(function.iommuGroup()));
        }
    },
    /** Its PCI vendor, four hexadecimal digits. */
    VENDOR {
        @Override
        Optional<String> of(Device device) {
            return function(device).map(function -> "%04x".formatted(function.vendor()));
        }
    },
    /** Its PCI device ID, four hexadecimal digits. */
    DEVICE {
        @Override
        Optional<String> of(Device device) {
            return function(device).map(function -> "%04x".formatted(function.device()));
        }
    },
    /** The first network interface of the PF of a VF or sub-function. */
    PF {
        @Override
        Optional<String> of(Device device) {
            return device instanceof PfPart part ? first(part.physicalNetNames()) : Optional.empty();
        }
    },
    /** The address of that PF. */
    PF_BDF {
        @Override
        Optional<String> of(Device device) {
            return device instanceof PfPart part
                    ? Optional.of(part.physicalFunction().toString())
                    : Optional.empty();
        }
    },
    /** The number of a VF on its PF. */
    VF {
        @Override
        Optional<String> of(Device device) {
            return device instanceof VirtualFunction vf ? Optional.of(Integer.toString(vf.index())) : Optional.empty();
        }
    },
    /** Its first network interface. */
    NETDEV {
        @Override
        Optional<String> of(Device device) {
            return device instanceof SoftwareHca hca
                    ? Optional.of(hca.netName())
                    : function(device).flatMap(function -> first(function.netNames()));
        }
    },
    /** Its first RDMA device. */
    RDMA {
        @Override
        Optional<String> of(Device device) {
            return first(device.rdmaDevices().stream().map(RdmaDevice::name).toList());
        }
    },
    /** The image in an FPGA. */
    AFU {
        @Override
        Optional<String> of(Device device) {
            return device instanceof Fpga fpga ? first(fpga.afuIds()) : Optional.empty();
        }
    },
    /** The verified copy of the image that a vendor's tool should load. No device has this value by itself. */
    FILE {
        @Override
        Optional<String> of(Device device) {
            return Optional.empty();
        }
    };

    /** The device's value; empty if it has none. */
    abstract Optional<String> of(Device device);

    /** The word with that name. */
    static Optional<TemplateWord> parse(String word) {
        return Stream.of(values()).filter(one -> one.word().equals(word)).findFirst();
    }

    /** The word in a template, without braces. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether a device of that kind can have a value at all. */
    boolean concerns(Kind kind) {
        return switch (this) {
            case ID -> true;
            case BDF, NUMA_NODE, DRIVER, IOMMU_GROUP, VENDOR, DEVICE -> kind != Kind.PATH;
            case NETDEV, RDMA -> kind == Kind.VF || kind == Kind.SF || kind == Kind.NIC || kind == Kind.HCA;
            case PF, PF_BDF -> kind == Kind.VF || kind == Kind.SF;
            case VF -> kind == Kind.VF;
            case AFU -> kind == Kind.FPGA;
            case FILE -> false;
        };
    }

    private static Optional<PciFunction> function(Device device) {
        return device instanceof PciDevice pci ? Optional.of(pci.function()) : Optional.empty();
    }

    private static Optional<String> first(List<String> names) {
        return names.stream().findFirst();
    }

    private static Optional<String> text(OptionalInt number) {
        return number.isPresent() ? Optional.of(Integer.toString(number.getAsInt())) : Optional.empty();
    }
}
