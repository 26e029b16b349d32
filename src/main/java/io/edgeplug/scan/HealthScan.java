package io.edgeplug.scan;

import io.edgeplug.device.Device;
import io.edgeplug.device.FpgaRegion;
import io.edgeplug.device.PathDevice;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.PciFunction;
import io.edgeplug.device.PfPart;
import io.edgeplug.device.PlatformFpga;
import io.edgeplug.device.RdmaDevice;
import io.edgeplug.device.RdmaPort;
import io.edgeplug.device.SoftwareHca;
import io.edgeplug.device.Vfio;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.rules.HealthCheck;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Checks the conditions of {@link HealthCheck} at this moment, and not at the time when the device was scanned. */
public final class HealthScan {

    private final Sysfs sysfs;

    /** A scan of devices of that node. */
    public HealthScan(Sysfs sysfs) {
        this.sysfs = sysfs;
    }

    /** The first problem of a device, without its name. A value that cannot be read is a problem. */
    public Optional<String> problem(Device device, Set<HealthCheck> checks) {
        for (HealthCheck check : HealthCheck.values()) {
            if (checks.contains(check)) {
                Optional<String> problem = problem(device, check);
                if (problem.isPresent()) {
                    return problem;
                }
            }
        }
        return Optional.empty();
    }

    /** How many fatal PCI Express errors the kernel has counted; empty if it counts none. */
    public OptionalLong fatalErrors(Device device) {
        if (!(device instanceof PciDevice pci)) {
            return OptionalLong.empty();
        }
        try {
            return sysfs.read(PciAttributes.FUNCTIONS + "/" + pci.function().address() + "/aer_dev_fatal").stream()
                    .flatMap(String::lines)
                    .filter(line -> line.matches("TOTAL_ERR_FATAL \\d{1,18}"))
                    .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1)))
                    .findFirst();
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    private Optional<String> problem(Device device, HealthCheck check) {
        try {
            return switch (check) {
                case DRIVER -> device.driver().isPresent() ? Optional.empty() : Optional.of("has no driver");
                case NODES -> missingNode(device);
                case LINK -> downOf(netNames(device)).or(() -> inactivePort(device));
                case PF_LINK -> device instanceof PfPart part ? downOf(part.physicalNetNames()) : Optional.empty();
                case PORT_ERRORS -> device instanceof FpgaRegion region ? portError(region) : Optional.empty();
                case AER_FATAL -> Optional.empty();
            };
        } catch (IOException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private static List<String> netNames(Device device) {
        return switch (device) {
            case PciDevice pci -> pci.function().netNames();
            case SoftwareHca hca -> List.of(hca.netName());
            case PlatformFpga fpga -> List.of();
            case PathDevice path -> List.of();
        };
    }

    private Optional<String> downOf(List<String> netNames) {
        return netNames.stream()
                .filter(name -> !hasCarrier(name))
                .map(name -> "the link of " + name + " is down")
                .findFirst();
    }

    /** The kernel answers EINVAL for the carrier of an interface that is not up. */
    private boolean hasCarrier(String netName) {
        try {
            return sysfs.read("sys/class/net/" + netName + "/carrier").equals(Optional.of("1"));
        } catch (IOException e) {
            return false;
        }
    }

    private Optional<String> inactivePort(Device device) {
        for (RdmaDevice rdma : device.rdmaDevices()) {
            for (RdmaPort port : rdma.ports()) {
                String state = state("sys/class/infiniband/" + rdma.name() + "/ports/" + port.number() + "/state");
                if (!state.endsWith("ACTIVE")) {
                    return Optional.of("port " + port.number() + " of " + rdma.name() + " is not active: " + state);
                }
            }
        }
        return Optional.empty();
    }

    private String state(String path) {
        try {
            return sysfs.read(path).orElse("unknown");
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private Optional<String> missingNode(Device device) throws IOException {
        List<String> nodes = new ArrayList<>();
        device.rdmaDevices().forEach(rdma -> nodes.addAll(rdma.nodes()));
        if (device instanceof FpgaRegion region) {
            nodes.addAll(region.nodes());
        }
        if (device instanceof PciDevice pci) {
            PciFunction function = pci.function();
            function.vfio().flatMap(Vfio::groupNode).ifPresent(nodes::add);
            function.vfio().flatMap(Vfio::deviceNode).ifPresent(nodes::add);
            nodes.addAll(function.driverDevices().nodes());
            function.driverDevices().vdpas().forEach(vdpa -> vdpa.node().ifPresent(nodes::add));
        }
        for (String node : nodes) {
            if (!sysfs.isDeviceNode(node.substring(1))) {
                return Optional.of(node + " is missing");
            }
        }
        return Optional.empty();
    }

    private Optional<String> portError(FpgaRegion region) throws IOException {
        for (String node : region.nodes()) {
            String port = node.substring(node.lastIndexOf('/') + 1);
            Optional<String> errors = sysfs.read("sys/bus/platform/devices/" + port + "/errors/errors");
            if (errors.filter(bits -> !bits.matches("(0x)?0+")).isPresent()) {
                return Optional.of(port + " has errors: " + errors.orElseThrow());
            }
        }
        return Optional.empty();
    }
}
