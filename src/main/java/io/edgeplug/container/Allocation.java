package io.edgeplug.container;

import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.FpgaRegion;
import io.edgeplug.device.PathDevice;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.PciFunction;
import io.edgeplug.device.PlatformFpga;
import io.edgeplug.device.ResourceName;
import io.edgeplug.device.SoftwareHca;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Everything a container gets with the devices of one resource.
 *
 * <p>Keys are qualified by the resource: of two resources that gave one container the same key, the kubelet would keep
 * one at random.
 */
public record Allocation(SortedMap<String, String> env, List<Node> nodes, List<Mount> mounts) {

    private static final String VFIO = "vfio-pci";
    private static final List<String> VHOST_NET = List.of("/dev/net/tun", "/dev/vhost-net");

    public Allocation {
        env = Collections.unmodifiableSortedMap(new TreeMap<>(env));
        nodes = List.copyOf(nodes);
        mounts = List.copyOf(mounts);
    }

    /**
     * A device node, at the same path inside as outside.
     *
     * @param permissions of the device cgroup, a subset of {@code rwm}
     */
    public record Node(String path, String permissions) {}

    /** A file or directory, at the same path inside as outside. */
    public record Mount(String path, boolean readOnly) {}

    /** What a container gets with these devices of that class. */
    public static Allocation of(DeviceClass deviceClass, List<Device> devices) {
        String ids = devices.stream().map(Device::id).collect(Collectors.joining(","));
        TreeMap<String, String> env = new TreeMap<>();
        TreeSet<String> nodes = new TreeSet<>();
        TreeSet<String> mounts = new TreeSet<>();
        deviceClass.env().ifPresent(name -> env.put(name, ids));
        if (deviceClass.needsVhostNet()) {
            nodes.addAll(VHOST_NET);
        }
        for (Device device : devices) {
            device.rdmaDevices().forEach(rdma -> nodes.addAll(rdma.nodes()));
            switch (device) {
                case FpgaRegion region -> {
                    putEverySpelling(env, "PCIDEVICE_", deviceClass.resource(), ids);
                    nodes.addAll(region.nodes());
                }
                case PciDevice pci -> {
                    putEverySpelling(env, "PCIDEVICE_", deviceClass.resource(), ids);
                    nodes.addAll(pci.function().driverDevices().nodes());
                    pci.function()
                            .driverDevices()
                            .vdpas()
                            .forEach(vdpa -> vdpa.node().ifPresent(nodes::add));
                    vfioGroup(deviceClass, pci.function()).ifPresent(group -> {
                        putEverySpelling(env, "PCI_RESOURCE_", deviceClass.resource(), ids);
                        nodes.add("/dev/vfio/vfio");
                        nodes.add("/dev/vfio/" + group);
                    });
                }
                case PlatformFpga fpga -> putEverySpelling(env, "PCIDEVICE_", deviceClass.resource(), ids);
                case SoftwareHca hca -> putEverySpelling(env, "PCIDEVICE_", deviceClass.resource(), ids);
                case PathDevice path -> path.files().forEach(file -> (file.isNode() ? nodes : mounts).add(file.path()));
            }
        }
        return new Allocation(
                env,
                nodes.stream().map(path -> new Node(path, "rw")).toList(),
                mounts.stream().map(path -> new Mount(path, true)).toList());
    }

    /** Of a function that is bound to vfio-pci by the time that the container starts. */
    private static Optional<Integer> vfioGroup(DeviceClass deviceClass, PciFunction function) {
        return deviceClass.recipe().driver().or(function::driver).equals(Optional.of(VFIO))
                        && function.iommuGroup().isPresent()
                ? Optional.of(function.iommuGroup().getAsInt())
                : Optional.empty();
    }

    /**
     * As the SR-IOV plugin spells it, where a dash stays, and also as a shell can read it, where a dash is an
     * underscore.
     */
    private static void putEverySpelling(Map<String, String> env, String prefix, ResourceName resource, String ids) {
        String usual = prefix + resource.toString().toUpperCase(Locale.ROOT).replaceAll("[./]", "_");
        env.put(usual, ids);
        env.put(usual.replace('-', '_'), ids);
    }
}
