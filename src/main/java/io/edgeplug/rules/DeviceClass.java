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
 * What an administrator says of a resource: which devices back it, and what their containers get.
 *
 * @param selectors a device that any of them takes belongs to the class
 * @param groups of paths, whose devices belong to the class too
 * @param container what their containers get beyond what the devices bring
 * @param preference how a container's devices are spread over PFs
 * @param excludeTopology whether the kubelet is not told of NUMA nodes, so that it places pods without regard to them
 * @param numaNodes the NUMA nodes of all its devices, whatever the kernel says; none if the kernel is believed
 * @param sharing how many containers can have one device
 * @param needsVhostNet whether containers make tap devices for virtual machines with the kernel's vhost-net
 * @param health what makes a device unhealthy, beside that it does not answer
 * @param recipe what is done to a device before each container
 * @param release what is done to it once the last pod that held it has gone
 * @param isFace whether other such classes may offer its devices too, of which a pod then has one as one of them at a time
 * @param trustOwner the user who, beside root, decides what is found under the paths of the class
 * @param api by which of its ways Kubernetes gets the devices
 * @param evict whether a pod is to end whose device breaks, where the way is that of claims
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

    /** What the variables of a resource begin with, as the SR-IOV plugin has them and KubeVirt wants them. */
    private static final List<String> VARIABLES = List.of("PCIDEVICE_", "PCI_RESOURCE_");

    public DeviceClass {
        numaNodes = List.copyOf(numaNodes);
        selectors = List.copyOf(selectors);
        groups = List.copyOf(groups);
    }

    /** A class in which nothing else is said. */
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

    /** The same class for somebody who only looks at devices: it runs no program to find whether they are healthy. */
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

    /** Whether anything is to be done before a container starts. */
    public boolean preparesStarts() {
        return !recipe.isEmpty() || tracksUse();
    }

    /** Whether a device must not come to a pod as the one before has left it, so that it is noted who has it. */
    public boolean tracksUse() {
        return isFace || !release.isEmpty();
    }

    /** The NUMA nodes that one of its devices is near to, in order: several if it spans them, none if none is known. */
    public List<Integer> numaNodes(Device device) {
        if (!numaNodes.isEmpty()) {
            return numaNodes;
        }
        OptionalInt node = device.numaNode();
        return node.isPresent() ? List.of(node.getAsInt()) : List.of();
    }

    /** Whether a device of this node backs the resource. */
    public boolean takes(Device device) {
        return device.kind() == kind
                && !isPhysicalFunctionInUse(device)
                && !isCutIntoSubFunctions(device)
                && (kind == Kind.HCA || !carriesDefaultRoute(device))
                && matches(device);
    }

    /** Files of a group are one device, and only classes with that group take it. */
    private boolean matches(Device device) {
        return group(device)
                .map(groups::contains)
                .orElseGet(() -> selectors.stream()
                        .anyMatch(selector -> selector.mismatch(device).isEmpty()));
    }

    private static Optional<PathGroup> group(Device device) {
        return device instanceof PathDevice path ? path.group() : Optional.empty();
    }

    /** The files of a group that are there. */
    private static String members(Device device) {
        return device instanceof PathDevice path
                ? path.files().stream()
                        .filter(file -> file.found().isPresent())
                        .map(PathDevice.File::path)
                        .collect(Collectors.joining(" + "))
                : "";
    }

    /** Why a device of the class must not be handed over: somebody whom the class does not trust decides what it is. */
    public Optional<String> distrust(Device device) {
        return device instanceof PathDevice path
                ? path.files().stream()
                        .flatMap(file -> file.found().stream())
                        .flatMap(found -> found.distrust(trustOwner).stream())
                        .findFirst()
                : Optional.empty();
    }

    /** What the class asks of a device before its selectors do. */
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
            // RDMA leaves the interface to the node
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
     * The IOMMU group that a container has as a whole with one of its devices: VFIO lets no second process open it. Empty
     * for a device that is not handed over with VFIO.
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

    /** The names of all variables that its containers may get, which no other class may set. */
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

    /** The files to look for; none unless the class is of paths. */
    public Stream<PathGlob> paths() {
        return selectors.stream()
                .flatMap(selector -> selector.values(SelectorWord.PATHS).stream())
                .map(PathGlob::parse);
    }

    /** A PF that has VFs drives them and is no candidate itself. */
    private static boolean isPhysicalFunctionInUse(Device device) {
        return device instanceof PciDevice pci && pci.function().virtualFunctions() > 0;
    }

    /** Nor is one with sub-functions, for the same reason. */
    private static boolean isCutIntoSubFunctions(Device device) {
        return device instanceof PciDevice pci
                && pci.function().driverDevices().auxiliaryTypes().contains("sf");
    }

    /** A container that took it away would cut off the node. */
    private static boolean carriesDefaultRoute(Device device) {
        return device instanceof PciDevice pci && pci.function().carriesDefaultRoute();
    }
}
