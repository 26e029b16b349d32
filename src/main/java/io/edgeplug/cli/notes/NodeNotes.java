package io.edgeplug.cli.notes;

import io.edgeplug.model.device.OtherPci;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.container.Allocation.Mount;
import io.edgeplug.node.container.Allocation.Node;
import io.edgeplug.node.container.Equipment;
import io.edgeplug.node.supply.Candidate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Notes on the device nodes that containers get, of directories and mounts, and on those that they do not get. */
public final class NodeNotes {

    private NodeNotes() {}

    /** A line for each directory and each mount that is a node, and for each driver without one, once for all devices. */
    public static Set<String> of(DeviceClass one, List<Candidate> devices) {
        Set<String> notes = new LinkedHashSet<>(withoutNode(one, devices));
        for (Candidate candidate : devices) {
            candidate.equipment().ifPresent(brought -> {
                brought.directories().stream()
                        .sorted()
                        .filter(directory -> !isBelowAnother(directory, brought))
                        .forEach(directory -> directory(directory, brought).forEach(notes::add));
                one.container().mounts().stream()
                        .map(rule -> rule.hostPath().fill(candidate.device()))
                        .filter(path -> isHandedOver(path, brought))
                        .forEach(path ->
                                notes.add("mounts: " + path + " is a device node, so a container gets it as a device"));
            });
        }
        return notes;
    }

    /** A network function may have an interface instead, but of any other function a program needs a node. */
    private static List<String> withoutNode(DeviceClass one, List<Candidate> devices) {
        Map<String, List<String>> ofDrivers = new LinkedHashMap<>();
        for (Candidate candidate : devices) {
            if (candidate.device() instanceof OtherPci pci
                    && !pci.function().isNetwork()
                    && !one.recipe().changesFunction()
                    && candidate.equipment().filter(NodeNotes::bringsNothing).isPresent()) {
                String driver = pci.function()
                        .driver()
                        .map(name -> "no device node of its driver " + name + " is known")
                        .orElse("it has no driver that would make one");
                ofDrivers.computeIfAbsent(driver, none -> new ArrayList<>()).add(pci.id());
            }
        }
        return ofDrivers.entrySet().stream()
                .map(entry -> "a container gets only variables of " + ClassNotes.some(entry.getValue()) + ", because "
                        + entry.getKey() + "; mounts can name one")
                .toList();
    }

    private static boolean bringsNothing(Equipment brought) {
        return brought.problem().isEmpty()
                && brought.nodes().isEmpty()
                && brought.mounts().isEmpty();
    }

    private static boolean isBelowAnother(String directory, Equipment brought) {
        return brought.directories().stream().anyMatch(other -> directory.startsWith(other + "/"));
    }

    private static List<String> directory(String directory, Equipment brought) {
        long nodes = brought.nodes().stream()
                .map(Node::hostPath)
                .filter(path -> path.startsWith(directory + "/"))
                .count();
        boolean isMounted = brought.mounts().stream().map(Mount::hostPath).anyMatch(directory::equals);
        return nodes == 0
                ? List.of()
                : List.of(directory + " has device nodes, now " + nodes
                        + ", and a container gets those that are in it when it starts"
                        + (isMounted ? ", with the directory" : ""));
    }

    private static boolean isHandedOver(String path, Equipment brought) {
        return !brought.directories().contains(path)
                && brought.mounts().stream().noneMatch(mount -> mount.hostPath().equals(path));
    }
}
