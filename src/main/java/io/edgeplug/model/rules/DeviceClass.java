package io.edgeplug.model.rules;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.NodeUse;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PathGroup;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.RdmaDevice;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.device.SubFunction;
import io.edgeplug.model.device.Vfio;
import io.edgeplug.system.files.PathGlob;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The administrator's rules for a resource: which devices back it, and what their containers get.
 *
 * @param selectors a device that one of them takes belongs to the class
 * @param groups of paths, whose devices also belong to the class
 * @param container what the containers get beyond what the devices bring
 * @param placement which of them go to one container, and near which NUMA nodes
 * @param sharing how many containers can have one device
 * @param needsVhostNet whether containers make tap devices for virtual machines with the kernel's vhost-net
 * @param health what makes a device unhealthy, besides not answering
 * @param recipe the steps before each container
 * @param release the steps after the last pod that held the device is gone
 * @param isFace whether other such classes may offer its devices too; a pod then has a device as one of them at a time
 * @param trustOwner the user who, beside root, may decide which files are at the paths of the class
 * @param api the API by which Kubernetes gets the devices
 * @param claims what concerns only devices that pods claim
 * @param identity the devices that it makes of its files, for kind path
 */
public record DeviceClass(
        ResourceName resource,
        Kind kind,
        List<Selector> selectors,
        List<PathGroup> groups,
        ContainerRules container,
        Placement placement,
        Sharing sharing,
        boolean needsVhostNet,
        HealthRule health,
        Recipe recipe,
        Recipe release,
        boolean isFace,
        Optional<String> trustOwner,
        Api api,
        ClaimRules claims,
        FileRules.Identity identity) {

    /** The prefixes of the resource's variables. The SR-IOV plugin has them, and KubeVirt expects them. */
    private static final List<String> VARIABLES = List.of("PCIDEVICE_", "PCI_RESOURCE_");

    public DeviceClass {
        selectors = List.copyOf(selectors);
        groups = List.copyOf(groups);
    }

    /** A class with no other rules. */
    public static DeviceClass of(ResourceName resource, Kind kind, Selector... selectors) {
        return new DeviceClass(
                resource,
                kind,
                List.of(selectors),
                List.of(),
                ContainerRules.NONE,
                Placement.USUAL,
                Sharing.NONE,
                false,
                HealthRule.NONE,
                Recipe.NONE,
                Recipe.NONE,
                false,
                Optional.empty(),
                Api.DEVICE_PLUGIN,
                ClaimRules.NONE,
                FileRules.Identity.USUAL);
    }

    /** The same class without its health program, for commands that only look at devices. */
    public DeviceClass withoutHealthCommand() {
        return new DeviceClass(
                resource,
                kind,
                selectors,
                groups,
                container,
                placement,
                sharing,
                needsVhostNet,
                health.withoutCommand(),
                recipe,
                release,
                isFace,
                trustOwner,
                api,
                claims,
                identity);
    }

    /** Whether pods claim its devices, and no device plugin hands them out. */
    public boolean isClaimed() {
        return api == Api.DRA;
    }

    /** Whether there are steps before a container starts. */
    public boolean preparesStarts() {
        return !recipe.isEmpty() || tracksUse();
    }

    /** Whether something must be done to a device before it goes to another pod, so that its user is noted. */
    public boolean tracksUse() {
        return isFace || !release.isEmpty() || recipe.movedInterface().isPresent();
    }

    /** The nearest NUMA nodes of a device, in order: several if it spans them, none if none is known. */
    public List<Integer> numaNodes(Device device) {
        if (!placement.numaNodes().isEmpty()) {
            return placement.numaNodes();
        }
        return device.numaNode().stream().boxed().toList();
    }

    /** Whether a device of this node belongs to the class. */
    public boolean takes(Device device) {
        return device.kind() == kind
                && mayHave(device)
                && !isPhysicalFunctionInUse(device)
                && !isCutIntoSubFunctions(device)
                && offer(device) != NodeUse.Offer.NO
                && matches(device);
    }

    /** A class that shares files has devices of its own. */
    private boolean mayHave(Device device) {
        Optional<ResourceName> owner = device instanceof PathDevice path ? path.owner() : Optional.empty();
        return owner.isPresent()
                ? owner.equals(Optional.of(resource))
                : identity.sharedWith().isEmpty() || !(device instanceof PathDevice);
    }

    /** The files of a group are one device, which only classes with that group take. */
    private boolean matches(Device device) {
        return group(device)
                .map(groups::contains)
                .orElseGet(() -> selectors.stream()
                        .anyMatch(selector -> selector.mismatch(device).isEmpty()));
    }

    private static Optional<PathGroup> group(Device device) {
        return device instanceof PathDevice path ? path.group() : Optional.empty();
    }

    /**
     * The reason why a healthy device must not be handed over by this class: an untrusted user decides which file it is,
     * or it lacks the node GUID that its RDMA needs.
     */
    public Optional<String> objection(Device device) {
        if (asksForRdma(device) && device.rdmaDevices().stream().anyMatch(RdmaDevice::hasNoNodeGuid)) {
            return Optional.of(RdmaDevice.NO_NODE_GUID);
        }
        return device instanceof PathDevice path
                ? path.files().stream()
                        .flatMap(file -> file.found().stream())
                        .flatMap(found -> found.distrust(trustOwner.orElse(null)).stream())
                        .findFirst()
                : Optional.empty();
    }

    private boolean asksForRdma(Device device) {
        return kind == Kind.HCA
                || selectors.stream()
                        .filter(selector -> selector.mismatch(device).isEmpty())
                        .findFirst()
                        .filter(Selector::asksForRdma)
                        .isPresent();
    }

    /** The conditions that a device must meet before the selectors are asked. */
    public List<Requirement> requirements(Device device) {
        List<Requirement> requirements = new ArrayList<>();
        requirements.add(new Requirement("kind " + kind.word(), device.kind().word(), device.kind() == kind));
        if (device instanceof PathDevice path && path.owner().isPresent()) {
            requirements.add(
                    new Requirement("its own files", "those of " + path.owner().orElseThrow(), mayHave(device)));
        }
        if (isPhysicalFunctionInUse(device)) {
            requirements.add(new Requirement("no VFs of its own", "some", false));
        }
        if (isCutIntoSubFunctions(device)) {
            requirements.add(new Requirement("no sub-functions of its own", "some", false));
        }
        NodeUse use = nodeUse(device);
        if (use.level() != NodeUse.Level.NONE) {
            boolean isOffered = offer(device) != NodeUse.Offer.NO;
            String wanted = isOffered ? "any use by the node itself" : "no such use by the node itself";
            requirements.add(new Requirement(wanted, use.text(), isOffered));
        }
        if (kind == Kind.PATH && (group(device).isPresent() || selectors.isEmpty())) {
            String named = groups.stream().map(PathGroup::toString).collect(Collectors.joining(" or "));
            String own = named.isEmpty() ? "no group" : named;
            String actual = device instanceof PathDevice path && path.group().isPresent() ? path.members() : "no group";
            requirements.add(new Requirement(own, actual, matches(device)));
        }
        return requirements;
    }

    /**
     * The IOMMU group of which a container gets all members with one of its devices, because VFIO lets only one process
     * open the group. Empty for a device that is not handed over with VFIO.
     */
    public OptionalInt vfioGroup(Device device) {
        if (!(device instanceof PciDevice pci) || device instanceof SubFunction) {
            return OptionalInt.empty();
        }
        boolean isVfio = recipe.driver()
                .or(() -> pci.function().driver())
                .filter(Vfio::isDriver)
                .isPresent();
        return isVfio ? pci.function().iommuGroup() : OptionalInt.empty();
    }

    /** The names of all variables that its containers may get. No other class may set them. */
    public SortedSet<String> variables() {
        TreeSet<String> names = new TreeSet<>(container.env().keySet());
        if (kind == Kind.USB) {
            names.addAll(UsbRules.variables(resource));
        } else if (kind != Kind.PATH) {
            for (String prefix : VARIABLES) {
                names.addAll(resource.variables(prefix, ""));
            }
            names.addAll(resource.variables(VARIABLES.getFirst(), "_INFO"));
        }
        return names;
    }

    /** The files to look for; none unless the class is of kind path. */
    public FileRules files() {
        return new FileRules(
                resource,
                selectors.stream()
                        .flatMap(selector -> selector.values(SelectorWord.PATHS).stream())
                        .map(PathGlob::parse)
                        .toList(),
                groups,
                identity);
    }

    /** A PF that has VFs drives them, and is not a candidate itself. */
    private static boolean isPhysicalFunctionInUse(Device device) {
        return device instanceof PciDevice pci && pci.function().virtualFunctions() > 0;
    }

    /** A PF with sub-functions is no candidate either, for the same reason. */
    private static boolean isCutIntoSubFunctions(Device device) {
        return device instanceof PciDevice pci
                && pci.function().driverDevices().auxiliaryTypes().contains("sf");
    }

    /** How the node itself uses a device, by what it shows and what the administrator says. */
    public NodeUse nodeUse(Device device) {
        return device instanceof PciDevice pci ? recipe.kept().use(pci) : NodeUse.NONE;
    }

    /** Whether it offers a device with that use, as far as the use decides. */
    public NodeUse.Offer offer(Device device) {
        NodeUse.Level level = nodeUse(device).level();
        if (recipe.changesFunction() && !level.mayChange()) {
            return NodeUse.Offer.NO;
        }
        // A container that uses RDMA leaves the interface to the node, and so do containers that share a device.
        boolean leavesInterface =
                kind == Kind.HCA || (sharing.isShared() && !device.rdmaDevices().isEmpty());
        return leavesInterface ? level.beside() : level.alone();
    }
}
