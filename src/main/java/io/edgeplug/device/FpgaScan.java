package io.edgeplug.device;

import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads FPGAs: the regions of a PCI function, and the managers on the platform bus. */
final class FpgaScan {

    private static final String MANAGERS = "sys/class/fpga_manager";
    private static final Pattern REGION = Pattern.compile("region\\d{1,5}");
    private static final Pattern PORT = Pattern.compile("dfl-port\\.\\d{1,5}");
    private static final Pattern ALL_ONES = Pattern.compile("[fF]{32}");

    private final Sysfs sysfs;

    FpgaScan(Sysfs sysfs) {
        this.sysfs = sysfs;
    }

    /** The regions of a function with that directory; those without ports have nothing to hand out. */
    List<FpgaRegion> regions(PciFunction function, String directory) throws IOException {
        List<FpgaRegion> regions = new ArrayList<>();
        for (String region : sysfs.names(directory + "fpga_region")) {
            String path = directory + "fpga_region/" + region + "/";
            List<String> ports = REGION.matcher(region).matches() ? ports(path) : List.of();
            if (!ports.isEmpty()) {
                regions.add(region(function, region, path, ports));
            }
        }
        return regions;
    }

    private List<String> ports(String path) throws IOException {
        return sysfs.names(path).stream()
                .filter(name -> PORT.matcher(name).matches())
                .toList();
    }

    private FpgaRegion region(PciFunction function, String region, String path, List<String> ports) {
        List<String> nodes = ports.stream().map(port -> "/dev/" + port).toList();
        List<String> afuIds = new ArrayList<>();
        Health health = Health.HEALTHY;
        try {
            for (String port : ports) {
                sysfs.read(path + port + "/afu_id").ifPresent(afuIds::add);
            }
        } catch (IOException e) {
            health = Health.unhealthy(String.valueOf(e.getMessage()));
        }
        if (afuIds.stream().anyMatch(id -> ALL_ONES.matcher(id).matches())) {
            health = Health.unhealthy("its firmware has crashed: afu_id reads all ones");
        }
        return new FpgaRegion(function, region, afuIds, nodes, health);
    }

    /** The FPGAs of which no PCI function is a part. */
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
            Optional<String> driver = sysfs.linkName(path + "/device/driver");
            String state = sysfs.read(path + "/state").orElse("unknown");
            return new PlatformFpga(
                    id,
                    driver,
                    state.equals("operating") ? Health.HEALTHY : Health.unhealthy("its FPGA manager says " + state));
        } catch (IOException e) {
            return unreadable(id, e);
        }
    }
}
