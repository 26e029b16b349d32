package io.edgeplug.rules;

import io.edgeplug.device.Device;
import io.edgeplug.device.Kind;
import io.edgeplug.device.PathDevice;
import io.edgeplug.device.PathGroup;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.ResourceName;
import io.edgeplug.device.SubFunction;
import io.edgeplug.device.Vfio;
import io.edgeplug.linux.PathGlob;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The administrator's rules for a resource: which devices back it, and what their containers get.
 *
 * @param selectors a device that one of them takes belongs to the class
 * @param groups of paths, whose devices also belong to the class
 * @param container what the containers get beyond what the devices bring
 * @param preference how a container's devices are spread over PFs
 * @param excludeTopology whether the kubelet is not told the NUMA nodes, so that it places pods without regard to them
 * @param numaNodes the NUMA nodes of all its devices; none if those of the kernel count
 * @param sharing how many containers can have one device
 * @param needsVhostNet whether containers make tap devices for virtual machines with the kernel's vhost-net
 * @param health what makes a device unhealthy, besides not answering
 * @param recipe the steps before each container
 * @param release the steps after the last pod that held the device is gone
 * @param isFace whether other such classes may offer its devices too; a pod then has a device as one of them at a time
 * @param trustOwner the user who, beside root, may decide which files are at the paths of the class
 * @param api the API by which Kubernetes gets the devices
 * @param evict whether a pod must end if its device breaks, for devices that pods claim
 * @param choices what claims may choose
 */
public record DeviceClass(
        ResourceName resource,
        Kind kind,
        List<Selector> selectors,
        List<PathGroup> groups,
        ContainerRules container,
        Preference preference,
        boolean excludeTopology,
        List<Integer> numaNodes,
        Sharing sharing,
        boolean needsVhostNet,
        HealthRule health,
        Recipe recipe,
        Recipe release,
        boolean isFace,
        Optional<String> trustOwner,
        Api api,
        boolean evict,
        ClaimChoices choices) {

    /** The prefixes of the resource's variables. The SR-IOV plugin has them, and KubeVirt expects them. */
    private static final List<String> VARIABLES = List.of("PCIDEVICE_", "PCI_RESOURCE_");

    public DeviceClass {
        numaNodes = List.copyOf(numaNodes);
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
                Preference.PACK,
                false,
                List.of(),
                Sharing.NONE,
                false,
                HealthRule.NONE,
                Recipe.NONE,
                Recipe.NONE,
                false,
                Optional.empty(),
                Api.DEVICE_PLUGIN,
                false,
                ClaimChoices.NONE);
    }

    /** The same class without its health program, for commands that only look at devices. */
    public DeviceClass withoutHealthCommand() {
        return new DeviceClass(
                resource,
                kind,
                selectors,
                groups,
                container,
                preference,
                excludeTopology,
                numaNodes,
                sharing,
                needsVhostNet,
                health.withoutCommand(),
                recipe,
                release,
                isFace,
                trustOwner,
                api,
                evict,
                choices);
    }

    /** Whether pods claim its devices, and no device plugin hands them out. */
    public boolean isClaimed() {
        return api == Api.DRA;
    }

    /** Whether there are steps before a container starts. */
    public boolean preparesStarts() {
        return !recipe.isEmpty() || tracksUse();
    }

    /** Whether a device must be scrubbed before it goes to another pod, so that its user is noted. */
    public boolean tracksUse() {
        return isFace || !release.isEmpty();
    }

    /** The nearest NUMA nodes of a device, in order: several if it spans them, none if none is known. */
    public List<Integer> numaNodes(Device device) {
        if (!numaNodes.isEmpty()) {
            return numaNodes;
        }
        OptionalInt node = device.numaNode();
        return node.isPresent() ? List.of(node.getAsInt()) : List.of();
    }

    /** Whether a device of this node belongs to the class. */
    public boolean takes(Device device) {
        return device.kind() == kind
                && !isPhysicalFunctionInUse(device)
                && !isCutIntoSubFunctions(device)
                && (kind == Kind.HCA || !carriesDefaultRoute(device))
                && matches(device);
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

    /** The files of a group that exist. */
    private static String members(Device device) {
        return device instanceof PathDevice path
                ? path.files().stream()
                        .filter(file -> file.found().isPresent())
                        .map(PathDevice.File::path)
                        .collect(Collectors.joining(" + "))
                : "";
    }

    /** The reason why a device of the class must not be handed over: an untrusted user decides which file it is. */
    public Optional<String> distrust(Device device) {
        return device instanceof PathDevice path
                ? path.files().stream()
                        .flatMap(file -> file.found().stream())
                        .flatMap(found -> found.distrust(trustOwner).stream())
                        .findFirst()
                : Optional.empty();
    }

    /** The conditions that a device must meet before the selectors are asked. */
    public List<Requirement> requirements(Device device) {
        List<Requirement> requirements = new ArrayList<>();
        requirements.add(new Requirement("kind " + kind.word(), device.kind().word(), device.kind() == kind));
        if (isPhysicalFunctionInUse(device)) {
            requirements.add(new Requirement("no VFs of its own", "some", false));
        }
        if (isCutIntoSubFunctions(device)) {
            requirements.add(new Requirement("no sub-functions of its own", "some", false));
        }
        if (carriesDefaultRoute(device) && device instanceof PciDevice pci) {
            String actual = "it on " + String.join(", ", pci.function().netNames());
            // A container that uses RDMA leaves the interface to the node.
            requirements.add(
                    kind == Kind.HCA
                            ? new Requirement("the default route or not", actual, true)
                            : new Requirement("not the default route", actual, false));
        }
        if (kind == Kind.PATH && (group(device).isPresent() || selectors.isEmpty())) {
            String own = groups.isEmpty()
                    ? "no group"
                    : groups.stream().map(PathGroup::toString).collect(Collectors.joining(" or "));
            String actual = group(device).isPresent() ? members(device) : "no group";
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
        if (kind != Kind.PATH) {
            for (String prefix : VARIABLES) {
                names.addAll(resource.variables(prefix, ""));
            }
            names.addAll(resource.variables(VARIABLES.getFirst(), "_INFO"));
        }
        return names;
    }

    /** The files to look for; none unless the class is of kind path. */
    public Stream<PathGlob> paths() {
        return selectors.stream()
                .flatMap(selector -> selector.values(SelectorWord.PATHS).stream())
                .map(PathGlob::parse);
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

    /** A container that took this interface away would cut the node off from the network. */
    private static boolean carriesDefaultRoute(Device device) {
        return device instanceof PciDevice pci && pci.function().carriesDefaultRoute();
    }
}
