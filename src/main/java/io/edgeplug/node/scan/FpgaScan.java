package io.edgeplug.node.scan;

import io.edgeplug.model.device.FpgaFunction;
import io.edgeplug.model.device.FpgaRegion;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PciFunction;
import io.edgeplug.model.device.PlatformFpga;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the FPGAs of a PCI function, and the FPGA managers on the platform bus.
 *
 * <p>DFL cards (Documentation/fpga/dfl.rst in the kernel) and cards with Intel's earlier driver (OPAE) show the same
 * things under different names: ports with the IDs of their accelerators, and the management engine with the ID that
 * bitstreams need.
 */
record FpgaScan(Sysfs sysfs) {

    private static final String MANAGERS = "sys/class/fpga_manager";
    private static final List<String> FAMILIES = List.of("fpga_region", "fpga");
    private static final Pattern REGION = Pattern.compile("region\\d{1,5}|intel-fpga-dev\\.\\d{1,5}");
    private static final Pattern PORT = Pattern.compile("(?:dfl|intel-fpga)-port\\.\\d{1,5}");
    private static final Pattern ENGINE = Pattern.compile("(?:dfl|intel-fpga)-fme\\.\\d{1,5}");
    private static final Pattern ENGINE_REGION = Pattern.compile("dfl-fme-region\\.\\d{1,5}");
    private static final Pattern ALL_ONES = Pattern.compile("[fF]{32}");
    private static final Pattern ZEROS = Pattern.compile("[0-]*");

    /**
     * The FPGAs of the function with that directory. Regions without ports are left out, because they have nothing to
     * hand over.
     *
     * @param names the names in the directory
     */
    List<PciDevice> below(PciFunction function, String directory, Set<String> names) throws IOException {
        List<PciDevice> found = new ArrayList<>();
        for (String family : FAMILIES) {
            if (names.contains(family)) {
                found.addAll(regions(function, directory + family + "/"));
            }
        }
        if (found.isEmpty() && (isAlveo(directory, names) || names.contains("fpga_manager"))) {
            found.add(whole(function, directory));
        }
        return found;
    }

    private List<FpgaRegion> regions(PciFunction function, String directory) throws IOException {
        List<FpgaRegion> regions = new ArrayList<>();
        for (String region : names(directory, REGION)) {
            List<String> parts = sysfs.names(directory + region);
            List<String> ports = matching(parts, PORT);
            if (!ports.isEmpty()) {
                regions.add(region(function, directory, region, ports, matching(parts, ENGINE)));
            }
        }
        return regions;
    }

    private List<String> names(String directory, Pattern pattern) throws IOException {
        return matching(sysfs.names(directory), pattern);
    }

    /** The directories of the engines of a function. Those of the PF also manage the ports of its VFs. */
    private List<String> engines(PciAddress pf) throws IOException {
        List<String> engines = new ArrayList<>();
        for (String family : FAMILIES) {
            String directory = PciAttributes.FUNCTIONS + "/" + pf + "/" + family + "/";
            for (String region : names(directory, REGION)) {
                names(directory + region, ENGINE).forEach(engine -> engines.add(directory + region + "/" + engine));
            }
        }
        return engines;
    }

    private FpgaRegion region(
            PciFunction function, String directory, String region, List<String> ports, List<String> engines) {
        List<String> afuIds = new ArrayList<>();
        Optional<String> compatId = Optional.empty();
        Health health = Health.HEALTHY;
        try {
            for (String port : ports) {
                Optional<String> afuId = sysfs.read(directory + region + "/" + port + "/afu_id");
                afuId.ifPresent(afuIds::add);
                health = afuId.isPresent() ? health : withoutDriver(port);
            }
            Optional<PciAddress> pf = function.physicalFunction();
            List<String> managing = pf.isPresent()
                    ? engines(pf.orElseThrow())
                    : engines.stream()
                            .map(engine -> directory + region + "/" + engine)
                            .toList();
            for (String engine : managing) {
                compatId = compatId(engine);
            }
            health = health.isHealthy() ? crash(afuIds, compatId.orElse(null)) : health;
        } catch (IOException e) {
            health = Health.unhealthy(String.valueOf(e.getMessage()));
        }
        return new FpgaRegion(function, region, compatId, afuIds, nodes(ports), nodes(engines), health);
    }

    private static List<String> nodes(List<String> parts) {
        return parts.stream().map(part -> "/dev/" + part).toList();
    }

    /** The ID that bitstreams for the engine's ports need: OPAE's interface_id, or DFL's compat_id of the region. */
    private Optional<String> compatId(String engine) throws IOException {
        if (engine.contains("intel-fpga-fme")) {
            return sysfs.read(engine + "/pr/interface_id");
        }
        for (String part : matching(sysfs.names(engine), ENGINE_REGION)) {
            String regions = engine + "/" + part + "/fpga_region";
            for (String region : sysfs.names(regions)) {
                return sysfs.read(regions + "/" + region + "/compat_id");
            }
        }
        return Optional.empty();
    }

    /** The core of the drivers makes the node of a port, which cannot be opened without the driver of the port. */
    private static Health withoutDriver(String port) {
        return Health.unhealthy(port + " has no afu_id: its driver is not loaded, run modprobe "
                + (port.startsWith("dfl") ? "dfl-afu" : "intel-fpga-afu"));
    }

    private static Health crash(List<String> afuIds, @Nullable String compatId) {
        if (afuIds.stream().anyMatch(id -> ALL_ONES.matcher(id).matches())) {
            return Health.unhealthy("its firmware has crashed: afu_id reads all ones");
        }
        return compatId != null && ALL_ONES.matcher(compatId).matches()
                ? Health.unhealthy("its firmware has crashed: compat_id reads all ones")
                : Health.HEALTHY;
    }

    /** Whether xocl has marked the function as a user function. The mark is an empty file. */
    private boolean isAlveo(String directory, Set<String> names) throws IOException {
        return names.contains("user_pf") && sysfs.read(directory + "user_pf").isPresent();
    }

    /** A user function of an Alveo, or a function with an FPGA manager. */
    private FpgaFunction whole(PciFunction function, String directory) throws IOException {
        Optional<String> afuId = sysfs.read(directory + "xclbinuuid")
                .filter(id -> !ZEROS.matcher(id).matches());
        Health health = sysfs.read(directory + "dev_offline").equals(Optional.of("1"))
                ? Health.unhealthy("its driver has taken it offline")
                : Health.HEALTHY;
        for (String manager : sysfs.names(directory + "fpga_manager")) {
            health = health.isHealthy() ? managed(directory + "fpga_manager/" + manager) : health;
        }
        return new FpgaFunction(function, afuId.stream().toList(), health);
    }

    private Health managed(String manager) throws IOException {
        String state = sysfs.read(manager + "/state").orElse("unknown");
        return state.equals("operating") ? Health.HEALTHY : Health.unhealthy("its FPGA manager says " + state);
    }

    private static List<String> matching(List<String> names, Pattern pattern) {
        return names.stream().filter(name -> pattern.matcher(name).matches()).toList();
    }

    /** The FPGAs that are no part of a PCI function. */
    List<PlatformFpga> withoutFunction() throws IOException {
        List<PlatformFpga> found = new ArrayList<>();
        for (String manager : sysfs.names(MANAGERS)) {
            String path = MANAGERS + "/" + manager;
            try {
                Optional<String> id = sysfs.linkName(path + "/device");
                boolean isOfPci = sysfs.linkTarget(path)
                        .filter(target -> PciAddress.lastIn(target).isPresent())
                        .isPresent();
                if (id.isPresent() && !isOfPci) {
                    found.add(platformFpga(id.orElseThrow(), path));
                }
            } catch (IOException e) {
                found.add(unreadable(manager, e));
            }
        }
        return found;
    }

    private static PlatformFpga unreadable(String id, IOException e) {
        return new PlatformFpga(id, Optional.empty(), Health.unhealthy(String.valueOf(e.getMessage())));
    }

    private PlatformFpga platformFpga(String id, String path) {
        try {
            return new PlatformFpga(id, sysfs.linkName(path + "/device/driver"), managed(path));
        } catch (IOException e) {
            return unreadable(id, e);
        }
    }
}
