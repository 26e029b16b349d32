package io.edgeplug.node.scan;

import io.edgeplug.model.device.DriverDevices;
import io.edgeplug.model.device.VdpaDevice;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds the devices that a driver has made of a function, by the names in the function's directory. */
final class DriverDeviceScan {

    private static final String VDPA_BUS = "sys/bus/vdpa/devices";

    /** The module, the type and a number. The platform devices of xocl have similar names, but without the module. */
    private static final Pattern AUXILIARY = Pattern.compile("(\\w+)\\.[\\w-]+\\.\\d+");

    private static final Pattern VHOST = Pattern.compile("vhost-vdpa-\\d+");

    /** The classes whose device nodes are for programs, and the directories in which udev puts the nodes. */
    private static final Map<String, String> NODES = Map.of("uio", "/dev/", "drm", "/dev/dri/", "xrt_mgmt", "/dev/");

    private static final Pattern NODE = Pattern.compile("(?:uio|renderD|xclmgmt)\\d+");

    private final Sysfs sysfs;
    /**
     * All vDPA devices of the bus. An administrator may give them any name, so only the bus knows which names are
     * theirs.
     */
    private @Nullable List<String> vdpaNames;

    DriverDeviceScan(Sysfs sysfs) {
        this.sysfs = sysfs;
    }

    DriverDevices below(String directory, @Nullable String driver, Set<String> names) throws IOException {
        if (driver == null) {
            return DriverDevices.NONE;
        }
        List<VdpaDevice> vdpas = new ArrayList<>();
        if (vdpaNames == null) {
            vdpaNames = sysfs.names(VDPA_BUS);
        }
        for (String name : vdpaNames) {
            if (names.contains(name)) {
                vdpas.add(vdpa(directory + name, name));
            }
        }
        return new DriverDevices(auxiliaries(driver, names), vdpas, nodes(directory, names));
    }

    private static List<String> auxiliaries(String driver, Set<String> names) {
        String module = driver.replace('-', '_').replaceFirst("\\..*", "");
        return names.stream()
                .filter(name -> {
                    Matcher matcher = AUXILIARY.matcher(name);
                    return matcher.matches() && module.equals(matcher.group(1));
                })
                .sorted()
                .toList();
    }

    private VdpaDevice vdpa(String directory, String name) throws IOException {
        Optional<String> node = sysfs.names(directory).stream()
                .filter(part -> VHOST.matcher(part).matches())
                .map(part -> "/dev/" + part)
                .findFirst();
        return new VdpaDevice(name, sysfs.linkName(directory + "/driver"), node);
    }

    private List<String> nodes(String directory, Set<String> names) throws IOException {
        TreeSet<String> nodes = new TreeSet<>();
        for (Map.Entry<String, String> one : NODES.entrySet()) {
            if (names.contains(one.getKey())) {
                sysfs.names(directory + one.getKey()).stream()
                        .filter(name -> NODE.matcher(name).matches())
                        .forEach(name -> nodes.add(one.getValue() + name));
            }
        }
        return List.copyOf(nodes);
    }
}
