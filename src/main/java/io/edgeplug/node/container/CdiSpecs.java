package io.edgeplug.node.container;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PodInterface;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.node.container.Allocation.Mount;
import io.edgeplug.node.container.Allocation.Node;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The CDI specification for the container runtime with the devices of one resource. It follows the Container Device
 * Interface 1.1.0, in the lowest version that it needs, so that old runtimes can read it.
 */
public final class CdiSpecs {

    private static final Gson JSON =
            new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

    private final Path directory;
    private final ResourceName resource;
    private final KeptFiles files;
    private final Function<Device, Optional<PodInterface>> interfaces;
    private List<String> unread = List.of();

    /** By device, the interfaces that the file names. */
    private volatile Map<String, PodInterface> written = Map.of();

    /**
     * The specification in that directory.
     *
     * @param interfaces the interface of a device that a pod has or gets now; asked at each writing
     */
    CdiSpecs(Path directory, ResourceName resource, Function<Device, Optional<PodInterface>> interfaces) {
        this.directory = directory;
        this.resource = resource;
        this.interfaces = interfaces;
        this.files = new KeptFiles(directory, CdiNames.file(resource)::equals);
    }

    /** The name of the resource's file. */
    public static String fileName(ResourceName resource) {
        return CdiNames.file(resource);
    }

    /** The specification of these devices; empty if a runtime has nothing to do for any of them. */
    public static Optional<String> content(ResourceName resource, Collection<Equipment> devices) {
        return content(resource, devices, Map.of());
    }

    private static Optional<String> content(
            ResourceName resource, Collection<Equipment> devices, Map<String, PodInterface> interfaces) {
        List<Equipment> named = devices.stream()
                .filter(device -> device.problem().isEmpty() && device.hasEdits())
                .sorted(Comparator.comparing(Equipment::id))
                .toList();
        return named.isEmpty() ? Optional.empty() : Optional.of(JSON.toJson(spec(resource, named, interfaces)));
    }

    /**
     * Makes these the devices of the file.
     *
     * @return by ID, why a device cannot be found by its name: the file could not be written, or a foreign file has the
     *     same name, which makes it unusable
     */
    public Map<String, String> keep(Collection<Equipment> devices) {
        Map<String, String> problems = new TreeMap<>();
        List<Equipment> edited = devices.stream().filter(Equipment::hasEdits).toList();
        CdiRivals.Found found = new CdiRivals(directory, fileName(resource)).of(resource, edited);
        Map<String, Path> rivals = found.byId();
        unread = found.unread();
        rivals.forEach((id, file) -> problems.put(
                id,
                "its CDI device " + CdiNames.qualified(resource, id) + " is also in " + file
                        + ", which is not edgeplug's"));
        List<Equipment> own = edited.stream()
                .filter(device -> !rivals.containsKey(device.id()))
                .toList();
        Map<String, byte[]> contents = new TreeMap<>();
        Map<String, PodInterface> now = interfaces(own);
        content(resource, own, now)
                .ifPresent(text -> contents.put(fileName(resource), (text + "\n").getBytes(StandardCharsets.UTF_8)));
        files.keep(contents).values().forEach(reason -> own.forEach(device -> problems.put(device.id(), reason)));
        now.keySet().removeAll(problems.keySet());
        written = now;
        return problems;
    }

    private Map<String, PodInterface> interfaces(Collection<Equipment> devices) {
        Map<String, PodInterface> now = new TreeMap<>();
        devices.stream()
                .filter(device -> device.interfaceName().isPresent())
                .forEach(device -> interfaces.apply(device.device()).ifPresent(one -> now.put(device.id(), one)));
        return now;
    }

    /** Whether the file says where the interface of a device is now. */
    boolean isCurrent(Device device) {
        return Optional.ofNullable(written.get(device.id())).equals(interfaces.apply(device));
    }

    /** A line for each foreign file that could not be read at the last look because it is no specification. */
    public List<String> unread() {
        return unread;
    }

    /** Whether a file that should be removed may still exist. */
    public boolean hasLeftovers() {
        return files.hasLeftovers();
    }

    /** Whether the file is as it was written. Reads only its attributes. */
    public boolean isKept(Equipment device) {
        return !device.hasEdits() || files.isUntouched(fileName(resource));
    }

    /**
     * Removes the files of an earlier run for resources that are not among these.
     *
     * @return a line for each that could not be removed
     */
    public static List<String> removeStale(Path directory, Set<ResourceName> resources) {
        Set<String> current = resources.stream().map(CdiNames::file).collect(Collectors.toSet());
        KeptFiles stale = new KeptFiles(directory, name -> CdiNames.isOurs(name) && !current.contains(name));
        return List.copyOf(stale.keep(Map.of()).values());
    }

    private static JsonObject spec(
            ResourceName resource, List<Equipment> devices, Map<String, PodInterface> interfaces) {
        JsonArray list = new JsonArray();
        boolean movesAny = false;
        for (Equipment device : devices) {
            JsonObject edits = edits(device.nodes(), device.mounts());
            Optional<PodInterface> own = Optional.ofNullable(interfaces.get(device.id()));
            InterfaceEdits.put(edits, own.stream().toList());
            own.map(PodInterface::name)
                    .or(device::interfaceName)
                    .ifPresent(name -> InterfaceEdits.addVariable(edits, device.id(), name));
            movesAny |= InterfaceEdits.areIn(edits);
            JsonObject one = new JsonObject();
            one.addProperty("name", device.id());
            one.add("containerEdits", edits);
            list.add(one);
        }
        JsonObject spec = new JsonObject();
        spec.addProperty("cdiVersion", movesAny ? InterfaceEdits.VERSION : version(resource, devices));
        spec.addProperty("kind", resource.toString());
        spec.add("devices", list);
        return spec;
    }

    /**
     * The settings of containers with these devices, including variables, which the kubelet does not set in this case.
     */
    static String content(String kind, Map<String, Allocation> devices) {
        JsonArray list = new JsonArray();
        new TreeMap<>(devices).forEach((name, allocation) -> {
            JsonObject edits = edits(allocation.nodes(), allocation.mounts());
            if (!allocation.env().isEmpty()) {
                JsonArray env = new JsonArray();
                allocation.env().forEach((key, value) -> env.add(key + "=" + value));
                edits.add("env", env);
            }
            JsonObject one = new JsonObject();
            one.addProperty("name", name);
            one.add("containerEdits", edits);
            list.add(one);
        });
        JsonObject spec = new JsonObject();
        // The names of devices begin with digits, which earlier versions do not allow.
        spec.addProperty("cdiVersion", "0.5.0");
        spec.addProperty("kind", kind);
        spec.add("devices", list);
        return JSON.toJson(spec);
    }

    /** The same with network interfaces, by the name of the CDI device and then by the device of the node. */
    static String withInterfaces(String specification, Map<String, Map<String, PodInterface>> interfaces) {
        JsonObject spec = JSON.fromJson(specification, JsonObject.class);
        boolean movesAny = false;
        for (JsonElement one : spec.getAsJsonArray("devices")) {
            JsonObject device = one.getAsJsonObject();
            JsonObject edits = device.getAsJsonObject("containerEdits");
            Map<String, PodInterface> own =
                    interfaces.getOrDefault(device.get("name").getAsString(), Map.of());
            InterfaceEdits.put(edits, new TreeMap<>(own).values());
            new TreeMap<>(own).forEach((id, moved) -> InterfaceEdits.addVariable(edits, id, moved.name()));
            movesAny |= InterfaceEdits.areIn(edits);
        }
        if (movesAny) {
            spec.addProperty("cdiVersion", InterfaceEdits.VERSION);
        }
        return JSON.toJson(spec);
    }

    private static JsonObject edits(List<Node> nodes, List<Mount> mounts) {
        JsonObject edits = new JsonObject();
        if (!nodes.isEmpty()) {
            JsonArray array = new JsonArray();
            nodes.forEach(node -> array.add(node(node)));
            edits.add("deviceNodes", array);
        }
        if (!mounts.isEmpty()) {
            JsonArray array = new JsonArray();
            mounts.forEach(mount -> array.add(mount(mount)));
            edits.add("mounts", array);
        }
        return edits;
    }

    private static JsonObject node(Node node) {
        JsonObject json = new JsonObject();
        json.addProperty("path", node.containerPath());
        if (isMoved(node)) {
            json.addProperty("hostPath", node.hostPath());
        }
        json.addProperty("permissions", node.permissions());
        return json;
    }

    /** The options are those of the kubelet's own mounts. A type would need version 0.4.0 and adds nothing. */
    private static JsonObject mount(Mount mount) {
        JsonObject json = new JsonObject();
        json.addProperty("hostPath", mount.hostPath());
        json.addProperty("containerPath", mount.containerPath());
        JsonArray options = new JsonArray();
        List.of("rbind", "rprivate", mount.readOnly() ? "ro" : "rw").forEach(options::add);
        json.add("options", options);
        return json;
    }

    private static String version(ResourceName resource, List<Equipment> devices) {
        if (resource.name().contains(".")) {
            return "0.6.0";
        }
        boolean isNumbered = devices.stream()
                .anyMatch(device -> Character.isDigit(device.id().charAt(0)));
        boolean isMoved =
                devices.stream().flatMap(device -> device.nodes().stream()).anyMatch(CdiSpecs::isMoved);
        return isNumbered || isMoved ? "0.5.0" : "0.3.0";
    }

    private static boolean isMoved(Node node) {
        return !node.hostPath().equals(node.containerPath());
    }
}
