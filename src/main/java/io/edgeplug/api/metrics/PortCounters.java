package io.edgeplug.api.metrics;

import io.edgeplug.api.status.NodeStatus;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.RdmaDevice;
import io.edgeplug.model.device.RdmaPort;
import io.edgeplug.model.device.VirtualFunction;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.kernel.VfLinks;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The kernel's counters of VFs and of the ports of RDMA devices, read at each scrape. Each read may take as long as a
 * driver likes.
 *
 * <p>For VFs, they come from {@code sriov/N/stats} of the PF, which NVIDIA's driver outside of the kernel has, or else
 * from the counters that any PF driver reports to the kernel ({@link VfLinks}). For RDMA ports, they come from
 * {@code counters} and {@code hw_counters}; see Documentation/ABI/stable/sysfs-class-infiniband and
 * Documentation/ABI/testing/sysfs-class-infiniband.
 */
final class PortCounters {

    /** No port has more. A directory in place of one of sysfs could have any number. */
    private static final int MAX_OF_PORT = 200;

    /** The data counters of ports count in words. */
    private static final int WORD_BYTES = 4;

    /** A file in {@code hw_counters} that says how long the kernel keeps its values. */
    private static final String NOT_A_COUNTER = "lifespan";

    /**
     * Prefixes of values that can also fall, such as the present number of queue pairs. Some drivers put them among the
     * counters.
     */
    private static final List<String> GAUGES = List.of("active_", "watermark_");

    /** The kernel's names of counters, and the metric of each. */
    private final Map<String, Family> ofVfs = new HashMap<>();

    private final Family receivedBytes =
            new Family("edgeplug_rdma_port_receive_bytes", "Bytes that a port has received.");
    private final Family transmittedBytes =
            new Family("edgeplug_rdma_port_transmit_bytes", "Bytes that a port has sent.");
    private final Family receivedPackets =
            new Family("edgeplug_rdma_port_receive_packets", "Packets that a port has received.");
    private final Family transmittedPackets =
            new Family("edgeplug_rdma_port_transmit_packets", "Packets that a port has sent.");
    private final Family events =
            new Family("edgeplug_rdma_port_events", "What else a port counts, by the kernel's name of the counter.");

    /** By the kernel's name of a counter, the label that says it. */
    private final Map<String, String> counters = new HashMap<>();

    /** By PF, whether its driver has files with counters. A node may have thousands of VFs, and few PFs. */
    private final Map<PciAddress, Boolean> withFiles = new HashMap<>();

    /** By interface, the kernel's counters of the VFs of a PF. */
    private final Map<String, Map<Integer, VfLinks.Counts>> links = new HashMap<>();

    private PortCounters() {
        for (String way : List.of("receive", "transmit")) {
            for (String what : List.of("bytes", "packets", "dropped")) {
                String key = (way.equals("receive") ? "rx_" : "tx_") + what;
                String help = what.equals("dropped") ? "Packets that were dropped" : "What went through";
                ofVfs.put(key, new Family("edgeplug_vf_" + way + "_" + what, help + ", as the PF counts."));
            }
        }
    }

    /** For a node of which nothing is read. */
    static PortCounters none() {
        return new PortCounters();
    }

    /**
     * Reads the counters of all devices. A counter that cannot be read is left out.
     *
     * @param isThisNode whether it is the node that this runs on, whose kernel may be asked too
     */
    static PortCounters read(Sysfs sysfs, boolean isThisNode, NodeStatus status) {
        PortCounters counters = new PortCounters();
        Set<String> known = new HashSet<>();
        status.resources()
                .forEach(resource -> resource.devices().forEach(one -> {
                    Device device = one.device();
                    if (device instanceof VirtualFunction vf && known.add(device.id())) {
                        counters.readVf(sysfs, isThisNode, vf);
                    }
                    device.rdmaDevices()
                            .forEach(rdma ->
                                    counters.readPorts(sysfs, resource.name().toString(), device.id(), rdma));
                }));
        return counters;
    }

    List<Family> families() {
        return Stream.concat(
                        ofVfs.entrySet().stream()
                                .sorted(Map.Entry.comparingByKey())
                                .map(Map.Entry::getValue),
                        Stream.of(receivedBytes, transmittedBytes, receivedPackets, transmittedPackets, events))
                .toList();
    }

    private void readVf(Sysfs sysfs, boolean isThisNode, VirtualFunction vf) {
        String labels = MetricText.labels(
                "device", vf.id(), "pci_address", vf.function().address().toString(), "pf", Exposition.pf(vf));
        String files = "sys/bus/pci/devices/" + vf.physicalFunction() + "/sriov";
        boolean hasFiles = withFiles.computeIfAbsent(
                vf.physicalFunction(), pf -> !names(sysfs, files).isEmpty());
        String stats = hasFiles ? read(sysfs, files + "/" + vf.index() + "/stats") : "";
        if (stats.isEmpty() && isThisNode) {
            vf.physicalNetNames().stream()
                    .findFirst()
                    .flatMap(pf -> Optional.ofNullable(
                            links.computeIfAbsent(pf, PortCounters::linksOf).get(vf.index())))
                    .ifPresent(counts -> addLink(counts, labels));
        }
        // The lines are like "rx_packets    : 5011".
        stats.lines().map(line -> line.split(":", 2)).forEach(parts -> {
            Family family = ofVfs.get(parts[0].strip());
            if (family != null && parts.length == 2) {
                number(parts[1].strip()).ifPresent(value -> family.add(value, labels));
            }
        });
    }

    private static Map<Integer, VfLinks.Counts> linksOf(String pf) {
        try {
            return VfLinks.read(pf);
        } catch (IOException e) {
            return Map.of();
        }
    }

    private void addLink(VfLinks.Counts counts, String labels) {
        Map.of(
                        "rx_packets", counts.receivedPackets(),
                        "tx_packets", counts.sentPackets(),
                        "rx_bytes", counts.receivedBytes(),
                        "tx_bytes", counts.sentBytes(),
                        "rx_dropped", counts.receivedDropped(),
                        "tx_dropped", counts.sentDropped())
                .forEach((key, value) -> Objects.requireNonNull(ofVfs.get(key)).add(value.doubleValue(), labels));
    }

    private void readPorts(Sysfs sysfs, String resource, String device, RdmaDevice rdma) {
        for (RdmaPort port : rdma.ports()) {
            String labels = MetricText.labels(
                    "device",
                    device,
                    "port",
                    Integer.toString(port.number()),
                    "rdma_device",
                    rdma.name(),
                    "resource",
                    resource);
            // Both directories may have a counter of the same name.
            Set<String> read = new HashSet<>();
            for (String directory : List.of("counters", "hw_counters")) {
                String path = "sys/class/infiniband/" + rdma.name() + "/ports/" + port.number() + "/" + directory;
                for (String name : names(sysfs, path)) {
                    if (GAUGES.stream().noneMatch(name::startsWith) && read.add(name)) {
                        number(read(sysfs, path + "/" + name)).ifPresent(value -> addOfPort(name, value, labels));
                    }
                }
            }
        }
    }

    /** Empty if the device is being removed, or its driver does not have this counter. */
    private static String read(Sysfs sysfs, String path) {
        try {
            return sysfs.read(path).orElse("");
        } catch (IOException e) {
            return "";
        }
    }

    private static List<String> names(Sysfs sysfs, String path) {
        try {
            return sysfs.names(path).stream().limit(MAX_OF_PORT).toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    private void addOfPort(String counter, double value, String labels) {
        switch (counter) {
            case "port_rcv_data" -> receivedBytes.add(value * WORD_BYTES, labels);
            case "port_xmit_data" -> transmittedBytes.add(value * WORD_BYTES, labels);
            case "port_rcv_packets" -> receivedPackets.add(value, labels);
            case "port_xmit_packets" -> transmittedPackets.add(value, labels);
            case NOT_A_COUNTER -> {}
            default ->
                events.add(
                        value,
                        counters.computeIfAbsent(counter, name -> MetricText.labels("counter", name) + ","),
                        labels);
        }
    }

    /** Empty if the value is no whole number: some drivers write a text. */
    private static OptionalDouble number(String value) {
        return value.matches("\\d{1,20}") ? OptionalDouble.of(Double.parseDouble(value)) : OptionalDouble.empty();
    }
}
