package io.edgeplug.model.rules;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.device.UsbDevice;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the classes of kind {@code usb} make of a USB device.
 *
 * @param classes only those of that kind, in the order in which they take devices
 */
public record UsbRules(List<DeviceClass> classes) {

    /** The values of {@code nodes}. They are subsystems of the kernel, but for video. */
    public static final Set<String> NODES =
            Set.of("usb", "tty", "video", "media", "sound", "input", "hidraw", "block", "usbmisc");

    private static final String PREFIX = "USBDEVICE_";

    /** By vendor, product and serial number, since cheap devices of all makers have the serial number 00000001. */
    private static final Template BY_SERIAL = Template.parse("{vendor}-{product}-{serial}", Kind.USB);

    private static final Template BY_PORT = Template.parse("{port}", Kind.USB);

    /** Those of the classes that are of that kind. */
    public static UsbRules of(List<DeviceClass> classes) {
        return new UsbRules(
                classes.stream().filter(one -> one.kind() == Kind.USB).toList());
    }

    /** Whether no class is about USB devices, so that none need be looked for. */
    public boolean isEmpty() {
        return classes.isEmpty();
    }

    /** The template of {@code id} for its two short words; any other text is a template by itself. */
    public static Optional<Template> id(String word) {
        return switch (word) {
            case "serial" -> Optional.of(BY_SERIAL);
            case "port" -> Optional.of(BY_PORT);
            default -> Optional.empty();
        };
    }

    /** The device as that of the first class that takes it, with the ID and the nodes that the class says. */
    public UsbDevice own(UsbDevice device) {
        UsbDevice usual = device.as(idOf(BY_SERIAL, device), usualNodes(device));
        return classes.stream()
                .filter(one -> one.takes(usual))
                .findFirst()
                .map(one -> device.as(
                        one.identity().id().map(id -> idOf(id, usual)).orElse(usual.id()), nodes(one, device)))
                .orElse(usual);
    }

    /** Without a serial number, a device is told from its like by its port. */
    private static String idOf(Template template, UsbDevice device) {
        return template.missing(device).isPresent() ? BY_PORT.fill(device) : template.fill(device);
    }

    private static List<UsbDevice.Node> nodes(DeviceClass one, UsbDevice device) {
        List<String> wanted = one.container().usbNodes();
        return wanted.isEmpty()
                ? usualNodes(device)
                : device.nodes().stream()
                        .filter(node -> wanted.contains(word(node)))
                        .toList();
    }

    private static List<UsbDevice.Node> usualNodes(UsbDevice device) {
        return device.nodes().stream().filter(UsbDevice.Node::isUsual).toList();
    }

    private static String word(UsbDevice.Node node) {
        return node.subsystem().equals("video4linux") ? "video" : node.subsystem();
    }

    /** The variables of a resource: the devices, and their nodes, serial numbers and ports. */
    public static List<String> variables(ResourceName resource) {
        return Stream.of(Variable.values())
                .flatMap(variable -> variable.names(resource).stream())
                .toList();
    }

    /** A variable that every container with such a device gets. */
    public enum Variable {
        /** The IDs. */
        IDS(""),
        /** The paths of the nodes. */
        NODES("_NODES"),
        /** The serial numbers, each empty if the device has none. */
        SERIALS("_SERIALS"),
        /** The ports. */
        PORTS("_PORTS");

        private final String suffix;

        Variable(String suffix) {
            this.suffix = suffix;
        }

        public List<String> names(ResourceName resource) {
            return List.copyOf(resource.variables(PREFIX, suffix));
        }

        public String of(Device device) {
            if (!(device instanceof UsbDevice usb)) {
                return "";
            }
            return switch (this) {
                case IDS -> usb.id();
                case NODES ->
                    String.join(
                            ",", usb.nodes().stream().map(UsbDevice.Node::path).toList());
                case SERIALS -> usb.serial().orElse("");
                case PORTS -> usb.port().path();
            };
        }
    }
}
