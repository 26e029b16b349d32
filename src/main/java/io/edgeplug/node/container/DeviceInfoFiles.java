package io.edgeplug.node.container;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Fpga;
import io.edgeplug.model.device.Hca;
import io.edgeplug.model.device.Nic;
import io.edgeplug.model.device.OtherPci;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PlatformFpga;
import io.edgeplug.model.device.RdmaDevice;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.device.SoftwareHca;
import io.edgeplug.model.device.SubFunction;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.model.device.VdpaDevice;
import io.edgeplug.model.device.VirtualFunction;
import io.edgeplug.model.rules.DeviceClass;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The files in which Multus reads properties of network devices, by the Device Information Specification 1.1.0 of the
 * Network Plumbing Working Group. There is one for each network device of a resource, before the kubelet knows of it.
 */
public final class DeviceInfoFiles {

    private static final String VERSION = "1.1.0";
    private static final String SUFFIX = "-device.json";
    private static final Gson JSON = new GsonBuilder().disableHtmlEscaping().create();

    /**
     * The length of the address in a device's ID. It distinguishes a file from one of a resource with a longer name.
     */
    private static final int ADDRESS = "0000:00:00.0".length();

    private final DeviceClass deviceClass;
    private final String prefix;
    private final KeptFiles files;
    private int shares;

    public DeviceInfoFiles(Path directory, DeviceClass deviceClass) {
        this.deviceClass = deviceClass;
        this.prefix = prefix(deviceClass.resource());
        this.files = new KeptFiles(directory, this::isOurs);
        this.shares = deviceClass.sharing().shares();
    }

    /** The name of a device's file. The ID comes from the kernel and has no slash. */
    public static String fileName(ResourceName resource, String id) {
        return prefix(resource) + id + SUFFIX;
    }

    private static String prefix(ResourceName resource) {
        return resource.toString().replace('/', '-') + "-";
    }

    /** The content of a device's file; empty for a device without a file. */
    public static Optional<String> content(DeviceClass deviceClass, Device device) {
        return networkDevice(device).map(pci -> network(deviceClass, pci));
    }

    /** The device, if it is a network device with an address of its own. */
    private static Optional<PciDevice> networkDevice(Device device) {
        return switch (device) {
            case VirtualFunction vf -> Optional.of(vf);
            case Nic nic -> Optional.of(nic);
            case Hca hca -> Optional.of(hca);
            // A sub-function has only the address of its PF, so a plugin would take the PF.
            case SubFunction sf -> Optional.empty();
            case Fpga fpga -> Optional.empty();
            case OtherPci other -> Optional.empty();
            case PlatformFpga fpga -> Optional.empty();
            case SoftwareHca hca -> Optional.empty();
            case PathDevice path -> Optional.empty();
            case UsbDevice usb -> Optional.empty();
        };
    }

    /** Sets how many shares of each device have files. Returns whether that differs from before. */
    boolean list(int listed) {
        boolean differs = shares != listed;
        shares = listed;
        return differs;
    }

    /**
     * Makes these the devices that have files.
     *
     * @return by ID, why a device's file could not be written
     */
    public Map<String, String> keep(Collection<Equipment> devices) {
        return byId(devices, files.keep(contents(devices)));
    }

    /**
     * Writes the files of these devices, and leaves those of others alone.
     *
     * @param without IDs that have no file from now on
     * @return by ID, why a device's file could not be written
     */
    public Map<String, String> update(Collection<Equipment> devices, Collection<String> without) {
        List<String> unwanted =
                without.stream().flatMap(id -> names(id).stream()).toList();
        return byId(devices, files.update(contents(devices), unwanted));
    }

    /** Whether there may still be files of devices that should have none. */
    public boolean hasLeftovers() {
        return files.hasLeftovers();
    }

    private Map<String, byte[]> contents(Collection<Equipment> devices) {
        Map<String, byte[]> contents = new TreeMap<>();
        for (Equipment device : devices) {
            content(deviceClass, device.device()).ifPresent(content -> {
                byte[] bytes = (content + "\n").getBytes(StandardCharsets.UTF_8);
                names(device.id()).forEach(name -> contents.put(name, bytes));
            });
        }
        return contents;
    }

    private Map<String, String> byId(Collection<Equipment> devices, Map<String, String> problems) {
        Map<String, String> byId = new HashMap<>();
        if (!problems.isEmpty()) {
            for (Equipment device : devices) {
                names(device.id()).stream()
                        .flatMap(name -> Optional.ofNullable(problems.get(name)).stream())
                        .findFirst()
                        .ifPresent(problem -> byId.put(device.id(), problem));
            }
        }
        return byId;
    }

    /** Whether a device has the right file. Reads only the file's attributes. */
    public boolean isKept(Equipment device) {
        return networkDevice(device.device()).isEmpty()
                || names(device.id()).stream().allMatch(files::isUntouched);
    }

    /** Multus asks by the ID that the kubelet knows: the ID of a share if devices are shared. */
    private List<String> names(String id) {
        return deviceClass.sharing().isShared()
                ? IntStream.range(0, shares)
                        .mapToObj(share -> prefix + id + "::" + share + SUFFIX)
                        .toList()
                : List.of(prefix + id + SUFFIX);
    }

    private static String network(DeviceClass deviceClass, PciDevice device) {
        Optional<VdpaDevice> vdpa = device.function().driverDevices().vdpas().stream()
                .filter(one -> one.type().isPresent())
                .findFirst();
        String type = vdpa.isPresent() ? "vdpa" : "pci";
        Map<String, String> values = vdpa.map(DeviceInfoFiles::vdpa).orElseGet(LinkedHashMap::new);
        values.put("pci-address", device.function().address().toString());
        if (vdpa.isEmpty()) {
            values.putAll(extras(deviceClass, device));
        }
        if (device instanceof VirtualFunction vf) {
            values.put("pf-pci-address", vf.physicalFunction().toString());
            vf.representor().ifPresent(name -> values.put("representor-device", name));
        }
        Map<String, Object> content = new LinkedHashMap<>();
        content.put("type", type);
        content.put("version", VERSION);
        content.put(type, values);
        return JSON.toJson(content);
    }

    private static Map<String, String> vdpa(VdpaDevice vdpa) {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("parent-device", vdpa.name());
        vdpa.type().ifPresent(type -> values.put("driver", type));
        vdpa.node().ifPresent(node -> values.put("path", node));
        return values;
    }

    private static Map<String, String> extras(DeviceClass deviceClass, PciDevice device) {
        Map<String, String> values = new LinkedHashMap<>();
        if (deviceClass.needsVhostNet()) {
            values.put("vhost-net", "/dev/vhost-net");
        }
        if (!device.rdmaDevices().isEmpty()) {
            values.put(
                    "rdma-device",
                    device.rdmaDevices().stream().map(RdmaDevice::name).collect(Collectors.joining(",")));
        }
        return values;
    }

    private boolean isOurs(String name) {
        if (!name.startsWith(prefix) || !name.endsWith(SUFFIX)) {
            return false;
        }
        String id = name.substring(prefix.length(), name.length() - SUFFIX.length());
        return id.length() >= ADDRESS
                && PciAddress.parse(id.substring(0, ADDRESS)).isPresent();
    }
}
