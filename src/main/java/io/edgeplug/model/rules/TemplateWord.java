package io.edgeplug.model.rules;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Fpga;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PciFunction;
import io.edgeplug.model.device.PfPart;
import io.edgeplug.model.device.RdmaDevice;
import io.edgeplug.model.device.ShortName;
import io.edgeplug.model.device.SoftwareHca;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.model.device.VirtualFunction;
import io.edgeplug.system.flow.Worded;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The words of a {@link Template}, such as {@code {id}}. */
public enum TemplateWord implements Worded {
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
            return device instanceof UsbDevice usb
                    ? Optional.of(usb.vendor())
                    : function(device).map(function -> "%04x".formatted(function.vendor()));
        }
    },
    /** Its PCI device ID, four hexadecimal digits. */
    DEVICE {
        @Override
        Optional<String> of(Device device) {
            return function(device).map(function -> "%04x".formatted(function.device()));
        }
    },
    /** The product ID of a USB device, four hexadecimal digits. */
    PRODUCT {
        @Override
        Optional<String> of(Device device) {
            return usb(device).map(UsbDevice::product);
        }
    },
    /** The serial number of a USB device, with an underscore for each character that an ID cannot have. */
    SERIAL {
        @Override
        Optional<String> of(Device device) {
            return usb(device).flatMap(UsbDevice::serial).map(TemplateWord::plain);
        }
    },
    /** The port of a USB device. */
    PORT {
        @Override
        Optional<String> of(Device device) {
            return usb(device).map(usb -> usb.port().path());
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
    /** The path of its first file, as the class names it. */
    PATH {
        @Override
        Optional<String> of(Device device) {
            return usb(device)
                    .flatMap(usb -> usb.nodes().stream().findFirst())
                    .map(UsbDevice.Node::path)
                    .or(() -> first(device).map(PathDevice.File::path));
        }
    },
    /** The path of its first file without links: of a device node, the kernel's own name. */
    TARGET {
        @Override
        Optional<String> of(Device device) {
            return first(device).map(PathDevice.File::hostPath).or(() -> PATH.of(device));
        }
    },
    /** The name of its first file, with an underscore for each character that an ID cannot have. */
    NAME {
        @Override
        Optional<String> of(Device device) {
            return PATH.of(device).map(path -> plain(path.substring(path.lastIndexOf('/') + 1)));
        }
    },
    /** The name of the directory of its first file, in the same way. */
    DIR {
        @Override
        Optional<String> of(Device device) {
            return PATH.of(device)
                    .map(path -> path.substring(0, Math.max(0, path.lastIndexOf('/'))))
                    .map(directory -> plain(directory.substring(directory.lastIndexOf('/') + 1)));
        }
    },
    /** A hash of the path of its first file, which tells names apart that look alike otherwise. */
    HASH {
        @Override
        Optional<String> of(Device device) {
            return PATH.of(device).map(ShortName::hash);
        }
    },
    /** The verified copy of the image that a vendor's tool should load. No device has this value by itself. */
    FILE {
        @Override
        Optional<String> of(Device device) {
            return Optional.empty();
        }
    };

    private static final Pattern NOT_PLAIN = Pattern.compile("[^A-Za-z0-9._-]");

    /** The device's value; empty if it has none. */
    abstract Optional<String> of(Device device);

    /** The word with that name. */
    static Optional<TemplateWord> parse(String word) {
        return Stream.of(values()).filter(one -> one.word().equals(word)).findFirst();
    }

    /** Whether a device of that kind can have a value at all. */
    boolean concerns(Kind kind) {
        return switch (this) {
            case ID -> true;
            case BDF, IOMMU_GROUP, DEVICE -> kind != Kind.PATH && kind != Kind.USB;
            case NUMA_NODE, DRIVER, VENDOR -> kind != Kind.PATH;
            case PRODUCT, SERIAL, PORT -> kind == Kind.USB;
            case NETDEV, RDMA -> kind == Kind.VF || kind == Kind.SF || kind == Kind.NIC || kind == Kind.HCA;
            case PF, PF_BDF -> kind == Kind.VF || kind == Kind.SF;
            case VF -> kind == Kind.VF;
            case AFU -> kind == Kind.FPGA;
            case PATH, TARGET, NAME, DIR, HASH -> kind == Kind.PATH || kind == Kind.USB;
            case FILE -> false;
        };
    }

    private static Optional<UsbDevice> usb(Device device) {
        return device instanceof UsbDevice usb ? Optional.of(usb) : Optional.empty();
    }

    private static Optional<PathDevice.File> first(Device device) {
        return device instanceof PathDevice path ? Optional.of(path.files().getFirst()) : Optional.empty();
    }

    /** The name as a part of an ID, of a file name and of a program's argument. */
    private static String plain(String name) {
        String safe = NOT_PLAIN.matcher(name).replaceAll("_");
        return safe.startsWith("-") ? "_" + safe.substring(1) : safe;
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
