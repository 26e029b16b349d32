package io.edgeplug.node.scan;

import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.RdmaDevice;
import io.edgeplug.model.device.RdmaPort;
import io.edgeplug.model.device.SoftwareHca;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads RDMA devices from the directory of their function, or from {@code /sys/devices/virtual} if they are in
 * software.
 *
 * <p>The directories of /sys/class have both, but listing them takes longer the more devices there are.
 */
final class RdmaScan {

    private static final String VIRTUAL = "sys/devices/virtual/";

    private static final Pattern GID = Pattern.compile("(?:[0-9a-f]{4}:){4}((?:[0-9a-f]{4}:){3}[0-9a-f]{4})");
    private static final Pattern PORT = Pattern.compile("[1-9]\\d{0,2}");

    private final Sysfs sysfs;
    /** The interfaces of devices in software, by the names of the devices; read when first needed. */
    private @Nullable NavigableMap<String, String> software;

    RdmaScan(Sysfs sysfs) {
        this.sysfs = sysfs;
    }

    /** The devices of the function with that directory. */
    List<RdmaDevice> below(String directory) throws IOException {
        List<RdmaDevice> devices = new ArrayList<>();
        for (String name : sysfs.names(directory + "infiniband")) {
            devices.add(read(directory, name));
        }
        return devices;
    }

    /** The software devices on these interfaces. */
    List<RdmaDevice> on(Collection<String> netNames) throws IOException {
        List<RdmaDevice> devices = new ArrayList<>();
        for (Map.Entry<String, String> one : software().entrySet()) {
            if (netNames.contains(one.getValue())) {
                devices.add(read(VIRTUAL, one.getKey()));
            }
        }
        return devices;
    }

    /**
     * The software devices whose interface belongs to no function. Those whose interface is not in sight are left out.
     *
     * @throws IOException if the kernel does not list them
     */
    List<SoftwareHca> withoutFunction() throws IOException {
        List<SoftwareHca> devices = new ArrayList<>();
        for (String name : sysfs.names(VIRTUAL + "infiniband")) {
            String netName = "";
            try {
                netName = netName(name).orElse("");
                if (!netName.isEmpty() && isOfNoFunction(netName)) {
                    RdmaDevice rdma = read(VIRTUAL, name);
                    devices.add(new SoftwareHca(rdma, netName, rdma.health()));
                }
            } catch (IOException e) {
                RdmaDevice unknown = new RdmaDevice(name, "", "", List.of(), List.of());
                devices.add(new SoftwareHca(unknown, netName, Health.unhealthy(String.valueOf(e.getMessage()))));
            }
        }
        return devices;
    }

    private boolean isOfNoFunction(String netName) throws IOException {
        return sysfs.linkTarget("sys/class/net/" + netName)
                .filter(target -> PciAddress.lastIn(target).isEmpty())
                .isPresent();
    }

    private NavigableMap<String, String> software() throws IOException {
        if (software == null) {
            NavigableMap<String, String> netNames = new TreeMap<>();
            for (String name : sysfs.names(VIRTUAL + "infiniband")) {
                try {
                    netName(name).ifPresent(netName -> netNames.put(name, netName));
                } catch (IOException e) {
                    // The scan of the device itself reports this problem. The functions are fine.
                }
            }
            software = netNames;
        }
        return software;
    }

    /**
     * rxe reports its interface as parent. siw reports it only for its first GID, which answers EINVAL while there is
     * none.
     */
    private Optional<String> netName(String name) throws IOException {
        String device = VIRTUAL + "infiniband/" + name;
        Optional<String> parent = sysfs.read(device + "/parent");
        if (parent.isPresent()) {
            return parent;
        }
        return Optional.of(optional(device + "/ports/1/gid_attrs/ndevs/0")).filter(netName -> !netName.isEmpty());
    }

    /** A value that a healthy device may also lack. */
    private String optional(String path) throws IOException {
        try {
            return sysfs.read(path).orElse("");
        } catch (IOException e) {
            return "";
        }
    }

    private RdmaDevice read(String directory, String name) throws IOException {
        String device = directory + "infiniband/" + name + "/";
        List<RdmaPort> ports = new ArrayList<>();
        for (String number : sysfs.names(device + "ports")) {
            if (!PORT.matcher(number).matches()) {
                continue;
            }
            String port = device + "ports/" + number + "/";
            String linkLayer = sysfs.read(port + "link_layer").orElse("");
            ports.add(new RdmaPort(
                    Integer.parseInt(number),
                    stateName(port + "state"),
                    stateName(port + "phys_state"),
                    linkLayer,
                    sysfs.read(port + "pkeys/0").orElse(""),
                    linkLayer.equals("InfiniBand") ? guid(port) : ""));
        }
        return new RdmaDevice(
                name,
                sysfs.read(device + "node_guid").orElse(""),
                sysfs.read(device + "sys_image_guid").orElse(""),
                ports,
                nodes(directory, name));
    }

    /** The GUID of a port is the second half of its first GID, which answers EINVAL while there is none. */
    private String guid(String port) throws IOException {
        Matcher gid = GID.matcher(optional(port + "gids/0"));
        return gid.matches() ? gid.group(1) : "";
    }

    /** The word in a text such as {@code 4: ACTIVE}. */
    private String stateName(String path) throws IOException {
        String state = sysfs.read(path).orElse("");
        return state.substring(state.indexOf(' ') + 1);
    }

    /** The nodes uverbs, umad and issm of one device, and that of the connection manager, which all devices share. */
    private List<String> nodes(String directory, String name) throws IOException {
        TreeSet<String> nodes = new TreeSet<>();
        for (String subsystem : List.of("infiniband_verbs", "infiniband_mad")) {
            for (String node : sysfs.names(directory + subsystem)) {
                if (sysfs.read(directory + subsystem + "/" + node + "/ibdev").equals(Optional.of(name))) {
                    nodes.add("/dev/infiniband/" + node);
                }
            }
        }
        if (sysfs.read("sys/class/misc/rdma_cm/dev").isPresent()) {
            nodes.add("/dev/infiniband/rdma_cm");
        }
        return List.copyOf(nodes);
    }
}
