package io.edgeplug.node.scan;

import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.model.device.UsbPort;
import io.edgeplug.system.files.FileKind;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.kernel.PlainText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes USB devices of sysfs. A device chooses its own texts and how many interfaces it has, so all of it is limited. */
public record UsbScan(Sysfs sysfs) {

    private static final String DEVICES = "sys/bus/usb/devices";

    private static final int MAX_DEVICES = 1024;
    private static final int MAX_INTERFACES = 32;
    private static final int MAX_NODES = 64;
    private static final int MAX_DIRECTORIES = 256;
    private static final int MAX_NAMES = 256;
    private static final int MAX_DEPTH = 10;
    private static final int MAX_SERIAL = 126;

    private static final Pattern ID = Pattern.compile("[0-9a-f]{4}");
    private static final Pattern CODE = Pattern.compile("[0-9a-f]{2}");
    private static final Pattern NUMBER = Pattern.compile("\\d{1,7}:\\d{1,7}");
    private static final Pattern COUNT = Pattern.compile("[1-9]\\d{0,9}");
    private static final Pattern NUMA = Pattern.compile("\\d{1,4}");
    private static final Pattern NODE = Pattern.compile(
            "(?m)^DEVNAME=((?:[A-Za-z0-9][A-Za-z0-9_.:+-]{0,63}/){0,4}[A-Za-z0-9][A-Za-z0-9_.:+-]{0,63})$");

    /**
     * The ports where devices are plugged in, in order.
     *
     * @throws IOException if the node has USB and the list cannot be read
     */
    public List<UsbPort> ports() throws IOException {
        return sysfs.names(DEVICES, name -> UsbPort.parse(name).isPresent(), MAX_DEVICES).stream()
                .flatMap(name -> UsbPort.parse(name).stream())
                .toList();
    }

    /**
     * The device at that port; empty if there is none, or if it goes away meanwhile.
     *
     * @throws IOException if it is there and cannot be read
     */
    public Optional<UsbDevice> device(UsbPort port) throws IOException {
        String path = DEVICES + "/" + port;
        Optional<String> vendor = vendor(path);
        Optional<String> product =
                sysfs.read(path + "/idProduct").filter(id -> ID.matcher(id).matches());
        if (vendor.isEmpty() || product.isEmpty()) {
            return Optional.empty();
        }
        UsbDevice device = read(port, path, vendor.orElseThrow(), product.orElseThrow());
        // Without this look, one that has just gone would be there without its serial number and its nodes.
        return vendor(path).equals(vendor) ? Optional.of(device) : Optional.empty();
    }

    private Optional<String> vendor(String path) throws IOException {
        return sysfs.read(path + "/idVendor").filter(id -> ID.matcher(id).matches());
    }

    /**
     * How often the hub has reported that the device at a port drew too much current; empty if never, or if the hub does
     * not say so. See over_current_count in Documentation/ABI/testing/sysfs-bus-usb.
     */
    public Optional<String> overCurrent(UsbPort port) throws IOException {
        return sysfs.read(DEVICES + "/" + port.ofHub() + "/over_current_count")
                .filter(count -> COUNT.matcher(count).matches());
    }

    private UsbDevice read(UsbPort port, String path, String vendor, String product) throws IOException {
        Optional<String> serial = sysfs.read(path + "/serial")
                .map(PlainText::of)
                .filter(text -> !text.isEmpty())
                .map(text -> text.substring(0, Math.min(text.length(), MAX_SERIAL)));
        Walk walk = new Walk();
        walk.visit(path, 0);
        boolean isBarred = sysfs.read(path + "/authorized").equals(Optional.of("0"));
        Optional<String> problem = isBarred
                ? Optional.of("the node does not let it work: its file authorized in sysfs says 0")
                : new UsbUse(sysfs)
                        .of(walk.netNames, walk.disks())
                        .map(use -> "the node uses it itself: it has " + use);
        Health health = problem.map(Health::unhealthy).orElse(Health.HEALTHY);
        Optional<PciAddress> controller = sysfs.linkTarget(path).flatMap(PciAddress::lastIn);
        return new UsbDevice(
                port.path(),
                port,
                vendor,
                product,
                serial,
                List.copyOf(walk.classes),
                List.copyOf(walk.drivers),
                controller.map(this::numaNode).orElse(OptionalInt.empty()),
                controller,
                walk.nodes,
                health);
    }

    private OptionalInt numaNode(PciAddress controller) {
        try {
            return sysfs.read(PciAttributes.FUNCTIONS + "/" + controller + "/numa_node").stream()
                    .filter(text -> NUMA.matcher(text).matches())
                    .mapToInt(Integer::parseInt)
                    .findFirst();
        } catch (IOException e) {
            return OptionalInt.empty();
        }
    }

    /** The walk through one device, which stops at the devices that are plugged into it if it is a hub. */
    private final class Walk {

        private final TreeSet<String> classes = new TreeSet<>();
        private final TreeSet<String> drivers = new TreeSet<>();
        private final List<UsbDevice.Node> nodes = new ArrayList<>();
        private final List<String> netNames = new ArrayList<>();
        private int directories;
        private int interfaces;

        private void visit(String path, int depth) throws IOException {
            directories++;
            addNode(path);
            List<String> below = sysfs.names(path, Walk::mayHaveNodes, MAX_NAMES);
            for (String name : below) {
                String child = path + "/" + name;
                if (depth == MAX_DEPTH || directories == MAX_DIRECTORIES || nodes.size() == MAX_NODES) {
                    return;
                }
                boolean isDirectory =
                        sysfs.linkTarget(child).isEmpty() && sysfs.kind(child).equals(Optional.of(FileKind.DIRECTORY));
                if (isDirectory) {
                    if (path.endsWith("/net")) {
                        netNames.add(name);
                    }
                    if (depth == 0 && name.contains(":") && interfaces++ < MAX_INTERFACES) {
                        addInterface(child);
                    }
                    visit(child, depth + 1);
                }
            }
        }

        private List<UsbDevice.Node> disks() {
            return nodes.stream().filter(node -> !node.isUsual()).toList();
        }

        private static boolean mayHaveNodes(String name) {
            return UsbPort.parse(name).isEmpty() && !name.equals("power") && !name.startsWith("ep_");
        }

        private void addInterface(String path) throws IOException {
            StringBuilder code = new StringBuilder();
            for (String part : List.of("/bInterfaceClass", "/bInterfaceSubClass", "/bInterfaceProtocol")) {
                code.append(sysfs.read(path + part)
                        .filter(digits -> CODE.matcher(digits).matches())
                        .orElse("00"));
            }
            classes.add(code.toString());
            sysfs.linkName(path + "/driver").ifPresent(drivers::add);
        }

        private void addNode(String path) throws IOException {
            Optional<String> number = sysfs.read(path + "/dev")
                    .filter(text -> NUMBER.matcher(text).matches());
            if (number.isPresent()) {
                Matcher name = NODE.matcher(sysfs.read(path + "/uevent").orElse(""));
                Optional<String> subsystem = sysfs.linkName(path + "/subsystem");
                if (name.find() && subsystem.isPresent()) {
                    nodes.add(
                            new UsbDevice.Node("/dev/" + name.group(1), number.orElseThrow(), subsystem.orElseThrow()));
                }
            }
        }
    }
}
