package io.edgeplug.node.scan;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.FpgaRegion;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PciFunction;
import io.edgeplug.model.device.PfPart;
import io.edgeplug.model.device.RdmaDevice;
import io.edgeplug.model.device.RdmaPort;
import io.edgeplug.model.device.Vfio;
import io.edgeplug.model.rules.HealthCheck;
import io.edgeplug.system.files.FileKind;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Checks the conditions of {@link HealthCheck} at this moment, and not at the time when the device was scanned. */
public record HealthScan(Sysfs sysfs) {

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
                case LINK -> {
                    Optional<String> down = downOf(device.netNames());
                    yield down.isPresent() ? down : inactivePort(device);
                }
                case PF_LINK -> device instanceof PfPart part ? downOf(part.physicalNetNames()) : Optional.empty();
                case PORT_ERRORS -> device instanceof FpgaRegion region ? portError(region) : Optional.empty();
                case AER_FATAL -> Optional.empty();
            };
        } catch (IOException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /**
     * An interface that was renamed or moved into a pod since its device was scanned is left out. The next scan, which
     * the change has begun, has its new name.
     */
    private Optional<String> downOf(List<String> netNames) throws IOException {
        for (String name : netNames) {
            if (!hasCarrier(name) && !isOfPartition(name) && sysfs.exists("sys/class/net/" + name)) {
                return Optional.of("the link of " + name + " is down");
            }
        }
        return Optional.empty();
    }

    /**
     * Whether it is an interface of an InfiniBand partition, which says nothing of the port. One that was made by sysfs
     * names its parent, and one that was made by ip has a link to it.
     */
    private boolean isOfPartition(String netName) throws IOException {
        String directory = "sys/class/net/" + netName + "/";
        if (!sysfs.read(directory + "type").equals(Optional.of("32"))) {
            return false;
        }
        Optional<String> link = sysfs.read(directory + "iflink");
        return sysfs.exists(directory + "parent")
                || (link.isPresent() && !link.equals(sysfs.read(directory + "ifindex")));
    }

    /** The kernel answers EINVAL for the carrier of an interface that is not up. */
    private boolean hasCarrier(String netName) {
        try {
            return sysfs.read("sys/class/net/" + netName + "/carrier").equals(Optional.of("1"));
        } catch (IOException e) {
            return false;
        }
    }

    private Optional<String> inactivePort(Device device) throws IOException {
        for (RdmaDevice rdma : device.rdmaDevices()) {
            String directory = "sys/class/infiniband/" + rdma.name();
            for (RdmaPort port : rdma.ports()) {
                String state = state(directory + "/ports/" + port.number() + "/state");
                if (!state.endsWith("ACTIVE") && sysfs.exists(directory)) {
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
            if (sysfs.kind(node.substring(1)).filter(FileKind::isNode).isEmpty()) {
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
