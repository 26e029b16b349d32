package io.edgeplug.node.container;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.FpgaRegion;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PciFunction;
import io.edgeplug.model.device.PlatformFpga;
import io.edgeplug.model.device.RdmaDevice;
import io.edgeplug.model.device.SoftwareHca;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.model.device.Vfio;
import io.edgeplug.model.rules.ContainerRules;
import io.edgeplug.model.rules.ContainerRules.MountRule;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.HandOver;
import io.edgeplug.model.rules.Step;
import io.edgeplug.model.rules.Template;
import io.edgeplug.node.container.Allocation.Mount;
import io.edgeplug.node.container.Allocation.Node;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Collects what one device brings into its container. */
final class EquipmentBuilder {

    private static final String READ_WRITE = "rw";
    private static final Pattern PATH = Pattern.compile("(/(?!\\.{1,2}(/|$))[^/\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]+)+");

    private final DeviceClass deviceClass;
    private final ContainerRules rules;
    private final Device device;
    private final List<Node> nodes = new ArrayList<>();
    private final List<Mount> mounts = new ArrayList<>();
    private final TreeMap<String, Map<String, String>> info = new TreeMap<>();
    private final Set<String> madeLater = new HashSet<>();
    private @Nullable String problem;

    EquipmentBuilder(DeviceClass deviceClass, Device device) {
        this.deviceClass = deviceClass;
        this.rules = deviceClass.container();
        this.device = device;
    }

    Equipment build(IommuGroups groups) {
        tell("generic", "deviceID", device.id());
        boolean isVfio = false;
        switch (device) {
            case FpgaRegion region -> {
                region.rdmaDevices().forEach(this::addRdma);
                region.nodes().forEach(this::addOwn);
                addEngines(region);
            }
            case PciDevice pci -> isVfio = addPci(pci.function(), groups);
            case PlatformFpga fpga -> {}
            case SoftwareHca hca -> hca.rdmaDevices().forEach(this::addRdma);
            case PathDevice path -> addPath(path);
            case UsbDevice usb -> addUsb(usb);
        }
        if (deviceClass.needsVhostNet()) {
            tell("vhost", "net-mount", addShared("/dev/vhost-net"));
            tell("vhost", "tun-mount", addShared("/dev/net/tun"));
        }
        rules.mounts().forEach(this::addMount);
        tellExtra(device.id());
        tellExtra("*");
        rules.env().forEach((name, template) -> check("env." + name, template));
        rules.annotations().forEach((name, template) -> check("annotations." + name, template));
        if (rules.handOver() == HandOver.CDI) {
            CdiNames.problem(device.id()).ifPresent(this::fail);
        }
        return placed(isVfio);
    }

    private Equipment placed(boolean isVfio) {
        List<Node> placedNodes = List.of();
        List<Mount> placedMounts = List.of();
        try {
            placedNodes = Allocation.places(nodes.stream(), Node::containerPath);
            placedMounts = Allocation.places(mounts.stream(), Mount::containerPath);
        } catch (IllegalArgumentException e) {
            fail("in its container " + e.getMessage());
        }
        String json = device instanceof PathDevice || device instanceof UsbDevice ? "{}" : Environment.json(info);
        return new Equipment(
                device,
                placedNodes,
                madeLater,
                placedMounts,
                Set.of(),
                json,
                isVfio,
                deviceClass.recipe().movedInterface().map(Step.Interface::name),
                Optional.ofNullable(problem));
    }

    private void addEngines(FpgaRegion region) {
        if (rules.managementEngine()) {
            region.engines().forEach(this::addOwn);
            if (region.engines().isEmpty()) {
                fail("it has no management engine, which fpga_management asks for: only a card's PF has one");
            }
        }
    }

    private void addRdma(RdmaDevice rdma) {
        tell("rdma", "rdma_dev", rdma.name());
        for (String node : rdma.nodes()) {
            String name = fileName(node);
            boolean isShared = name.equals("rdma_cm");
            String path = isShared ? addShared(node) : addOwn(node);
            tell("rdma", isShared ? name : name.replaceAll("\\d+$", ""), path);
        }
    }

    /**
     * Adds the devices that drivers have made of a function. Those that are not made yet are not known, except for
     * VFIO.
     *
     * @return whether it is bound to a VFIO driver when the container starts
     */
    private boolean addPci(PciFunction function, IommuGroups groups) {
        Optional<String> driver = deviceClass.recipe().driver();
        if (driver.isEmpty() || driver.equals(function.driver())) {
            function.rdmaDevices().forEach(this::addRdma);
            function.driverDevices().nodes().forEach(this::addDriverNode);
            function.driverDevices()
                    .vdpas()
                    .forEach(vdpa -> vdpa.node().ifPresent(node -> tell("vdpa", "mount", addOwn(node))));
            function.vfio().ifPresent(vfio -> addVfio(function, vfio, groups));
            return function.vfio().isPresent();
        }
        if (driver.filter(Vfio::isDriver).isEmpty()) {
            return false;
        }
        addVfio(function, new Vfio(function.iommuGroup(), false, Optional.empty()), groups);
        nodes.forEach(node -> madeLater.add(node.hostPath()));
        return true;
    }

    private void addDriverNode(String node) {
        String path = addOwn(node);
        if (fileName(node).startsWith("uio")) {
            tell("uio", "mount", path);
        }
    }

    /** In the container, the group's node has the name that DPDK and QEMU look for, whatever its name on the node. */
    private void addVfio(PciFunction function, Vfio vfio, IommuGroups groups) {
        groups.problem(function).ifPresent(this::fail);
        vfio.groupNode().ifPresent(hostPath -> {
            String path = "/dev/vfio/" + vfio.group().orElseThrow();
            nodes.add(new Node(hostPath, path, permissions()));
            tell("vfio", "mount", addShared("/dev/vfio/vfio"));
            tell("vfio", "dev-mount", path);
        });
        vfio.deviceNode().ifPresent(path -> {
            nodes.add(new Node(path, path, permissions()));
            tell("vfio", "mount", addShared("/dev/iommu"));
            tell("vfio", "dev-mount", path);
        });
        if (vfio.group().isEmpty() && vfio.device().isEmpty()) {
            fail("it is bound to VFIO and has no node");
        }
    }

    private void addPath(PathDevice path) {
        boolean isReadOnly = !rules.permissions().orElse("r").contains("w");
        for (PathDevice.File file : path.files()) {
            for (String place :
                    file.found().isPresent() ? places(path.withFiles(List.of(file)), file.path()) : List.<String>of()) {
                if (file.isNode()) {
                    nodes.add(new Node(file.hostPath(), place, permissions()));
                } else {
                    mounts.add(new Mount(file.hostPath(), place, isReadOnly));
                }
            }
        }
    }

    private void addUsb(UsbDevice usb) {
        if (usb.nodes().isEmpty()) {
            fail("it has none of the device nodes that its class hands over");
        }
        for (UsbDevice.Node node : usb.nodes()) {
            UsbDevice alone = usb.as(usb.id(), List.of(node));
            for (String place : places(alone, node.path())) {
                nodes.add(new Node(node.path(), place, permissions()));
            }
        }
    }

    /** The paths of a file in the container. A template speaks of this file, not of the first of its group. */
    private List<String> places(Device alone, String path) {
        return rules.containerPaths().isEmpty()
                ? List.of(place(path))
                : rules.containerPaths().stream()
                        .map(template -> checked("container_path", template.fill(alone)))
                        .distinct()
                        .toList();
    }

    /** A driver or a command may make the path of the mount. */
    private void addMount(MountRule rule) {
        String hostPath = checkPath("mounts.host_path", rule.hostPath());
        mounts.add(new Mount(hostPath, checkPath("mounts.container_path", rule.containerPath()), rule.readOnly()));
        if (!deviceClass.recipe().isEmpty()) {
            madeLater.add(hostPath);
        }
    }

    /** Adds a node of the device itself; returns its path in the container. */
    private String addOwn(String path) {
        nodes.add(new Node(path, place(path), permissions()));
        return place(path);
    }

    /** Adds a node that other devices bring too, so that all must bring the same. */
    private String addShared(String path) {
        nodes.add(new Node(path, path, READ_WRITE));
        return path;
    }

    private String place(String path) {
        return rules.containerDir()
                .map(directory -> checkPath("container_dir", directory) + "/" + fileName(path))
                .orElse(path);
    }

    private String permissions() {
        return rules.permissions().orElse(READ_WRITE);
    }

    private String checkPath(String key, Template template) {
        check(key, template);
        return checked(key, template.fill(device));
    }

    private String checked(String key, String path) {
        if (!PATH.matcher(path).matches()) {
            fail("its " + key + " would be " + path + ", which is no absolute path of plain names");
        }
        return path;
    }

    private void check(String key, Template template) {
        template.missing(device)
                .ifPresent(word -> fail("its class's " + key + " needs {" + word.word() + "}, which it does not have"));
    }

    private void tellExtra(String key) {
        rules.additionalInfo().getOrDefault(key, Map.of()).forEach((name, value) -> tell("extra", name, value));
    }

    /** The first value stays. Of two ports, for example, it is that of the first. */
    private void tell(String section, String key, String value) {
        info.computeIfAbsent(section, name -> new TreeMap<>()).putIfAbsent(key, value);
    }

    private void fail(String reason) {
        problem = problem == null ? reason : problem;
    }

    private static String fileName(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
