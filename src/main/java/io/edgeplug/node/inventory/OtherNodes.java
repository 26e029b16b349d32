package io.edgeplug.node.inventory;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.IdentifiedNode;
import io.edgeplug.node.inventory.Inventory.Item;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Compares the device nodes that pods were given with those that the devices are now. A running container keeps the
 * nodes that it was started with, and the kubelet hands the same paths to its next start.
 */
final class OtherNodes {

    private final Map<String, List<IdentifiedNode>> given;

    /** The nodes that pods were given and that are no longer those of their device. */
    private final List<Stale> stale = new ArrayList<>();

    private record Stale(String device, IdentifiedNode node) {}

    /**
     * Compares them.
     *
     * @param given by device, the nodes that it was when a pod got it
     * @param items all devices of the node now
     */
    OtherNodes(Map<String, List<IdentifiedNode>> given, List<Item> items) {
        this.given = given;
        Map<String, List<IdentifiedNode>> now = new HashMap<>();
        if (!given.isEmpty()) {
            items.forEach(item -> now.put(item.device().id(), now(item.device())));
        }
        given.forEach((id, nodes) -> nodes.stream()
                .filter(node -> now.getOrDefault(id, List.of()).stream().noneMatch(node::is))
                .forEach(node -> stale.add(new Stale(id, node))));
    }

    private static List<IdentifiedNode> now(Device device) {
        return device.health().isGone() ? List.of() : device.identities();
    }

    /** Why a device must not be handed over, as the end of a sentence about it; empty if its nodes are its own. */
    Optional<String> problem(Device device) {
        if (given.isEmpty()) {
            return Optional.empty();
        }
        List<IdentifiedNode> now = now(device);
        return device.changeSince(given.getOrDefault(device.id(), List.of()))
                .or(() -> stale.stream()
                        .filter(one -> !one.device().equals(device.id()))
                        .flatMap(one -> now.stream()
                                .filter(one.node()::meets)
                                .map(node ->
                                        "is %s now, which a pod was given as %s".formatted(node.path(), one.device())))
                        .findFirst());
    }
}
