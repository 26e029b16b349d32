package io.edgeplug.cli;

import io.edgeplug.cli.devices.ColumnTable;
import io.edgeplug.cli.notes.NodeFit;
import io.edgeplug.cli.options.Lines;
import io.edgeplug.cli.options.Sysroot;
import io.edgeplug.model.config.ConfigException;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.system.kernel.PlainText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * One configuration on many captured nodes: a row for each node, with how many devices each class has there.
 *
 * <p>A class that has devices on most nodes and none on this one is named, since that is what a rollout stumbles over.
 */
final class FleetCheck {

    private static final String UNKNOWN = "?";

    private final List<ResourceName> resources;
    private final List<Node> nodes = new ArrayList<>();
    private final List<String> mistakes = new ArrayList<>();

    /** The devices of each resource on a node; none if the node could not be looked at. */
    private record Node(String name, Map<ResourceName, List<Device>> devices) {

        boolean has(ResourceName resource) {
            return !devices.getOrDefault(resource, List.of()).isEmpty();
        }

        /** As {@code status} has it: {@code 3/4} if one of four is unhealthy. */
        String count(ResourceName resource) {
            List<Device> all = devices.get(resource);
            if (all == null) {
                return UNKNOWN;
            }
            long healthy =
                    all.stream().filter(device -> device.health().isHealthy()).count();
            return healthy == all.size() ? String.valueOf(healthy) : healthy + "/" + all.size();
        }
    }

    private FleetCheck(List<ResourceName> resources) {
        this.resources = resources;
    }

    /**
     * Looks at each node and prints the table, then what is wrong.
     *
     * @return whether each node could be looked at, and has room for its devices
     */
    static boolean print(List<DeviceClass> classes, List<Path> nodes, Lines out) throws InterruptedException {
        FleetCheck fleet =
                new FleetCheck(classes.stream().map(DeviceClass::resource).toList());
        for (Path node : nodes) {
            fleet.look(node, classes);
        }
        ColumnTable.padded(fleet.table()).forEach(out::print);
        fleet.notes().forEach(text -> out.print("note: " + text));
        fleet.mistakes.forEach(text -> out.print("mistake: " + text));
        out.flush();
        return fleet.mistakes.isEmpty();
    }

    private void look(Path place, List<DeviceClass> classes) throws InterruptedException {
        Node node = new Node(PlainText.of(String.valueOf(place.getFileName())), new HashMap<>());
        nodes.add(node);
        try (Sysroot sysroot = Sysroot.open(place)) {
            Inventory inventory = Inventory.scan(sysroot.sysfs(), classes);
            resources.forEach(resource -> node.devices().put(resource, inventory.devices(resource)));
            NodeFit.check(classes, inventory.devices());
            NodeFit.checkPaths(classes, sysroot.sysfs());
        } catch (IOException e) {
            mistakes.add(e.getMessage());
        } catch (ConfigException e) {
            String.valueOf(e.getMessage()).lines().forEach(mistake -> mistakes.add(node.name() + ": " + mistake));
        }
    }

    private List<List<String>> table() {
        Stream<List<String>> head = Stream.of(row("NODE", ResourceName::toString));
        return Stream.concat(head, nodes.stream().map(node -> row(node.name(), node::count)))
                .toList();
    }

    private List<String> row(String first, Function<ResourceName, String> cell) {
        return Stream.concat(Stream.of(first), resources.stream().map(cell)).toList();
    }

    private List<String> notes() {
        List<Node> seen =
                nodes.stream().filter(node -> !node.devices().isEmpty()).toList();
        Map<ResourceName, Long> having = new LinkedHashMap<>();
        resources.forEach(resource -> having.put(
                resource, seen.stream().filter(node -> node.has(resource)).count()));
        List<String> notes = new ArrayList<>();
        for (Node node : seen) {
            having.forEach((resource, others) -> {
                if (!node.has(resource) && others * 2 > seen.size()) {
                    notes.add("%s: %s has no devices, and has some on %d of %d nodes"
                            .formatted(node.name(), resource, others, seen.size()));
                }
            });
        }
        having.forEach((resource, some) -> {
            if (!seen.isEmpty() && some == 0) {
                notes.add(resource + ": no node has a device that matches");
            }
        });
        return notes;
    }
}
