package io.edgeplug.cli;

import io.edgeplug.cli.devices.ScannedNode;
import io.edgeplug.lab.localkubelet.ListedDevice;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.lab.localkubelet.ResourceState;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.device.Shares;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The devices for a container in a person's form: {@code RESOURCE=N} or {@code RESOURCE=ID,ID}.
 *
 * @param counts how many of each resource
 * @param named the devices of resources whose devices are named
 */
record Limits(SortedMap<ResourceName, Integer> counts, SortedMap<ResourceName, List<String>> named) {

    /** Throws IllegalArgumentException with a text for the person who wrote it. */
    static Limits parse(List<String> texts) {
        Limits limits = new Limits(new TreeMap<>(), new TreeMap<>());
        for (String text : texts) {
            int equals = text.indexOf('=');
            if (equals == text.length() - 1) {
                throw new IllegalArgumentException(
                        "\"" + text + "\" is neither RESOURCE, RESOURCE=N nor RESOURCE=ID,ID");
            }
            try {
                limits.add(
                        ResourceName.parse(equals < 0 ? text : text.substring(0, equals)),
                        equals < 0 ? "1" : text.substring(equals + 1));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("\"" + text + "\": " + e.getMessage(), e);
            }
        }
        return limits;
    }

    private void add(ResourceName resource, String wanted) {
        int count;
        if (wanted.matches("\\d+")) {
            if (!wanted.matches("[1-9]\\d{0,4}")) {
                throw new IllegalArgumentException("the number of devices must be from 1 to 99999");
            }
            count = Integer.parseInt(wanted);
        } else {
            List<String> ids = List.of(wanted.split(",", -1));
            if (ids.contains("") || Set.copyOf(ids).size() < ids.size()) {
                throw new IllegalArgumentException("each device must be named once");
            }
            named.put(resource, ids);
            count = ids.size();
        }
        if (counts.put(resource, count) != null) {
            throw new IllegalArgumentException("the resource is there twice");
        }
    }

    Set<ResourceName> resources() {
        return counts.keySet();
    }

    /** The same with the IDs of devices that are named otherwise. A share has no other name. */
    Limits withIds(ScannedNode node) throws IOException {
        SortedMap<ResourceName, List<String>> found = new TreeMap<>();
        for (Map.Entry<ResourceName, List<String>> wanted : named.entrySet()) {
            List<String> ids = new ArrayList<>();
            for (String name : wanted.getValue()) {
                ids.add(
                        name.contains(Shares.SEPARATOR)
                                ? name
                                : node.one(name).device().id());
            }
            found.put(wanted.getKey(), ids);
        }
        return new Limits(counts, found);
    }

    /**
     * The container that asks a kubelet for them. The kubelet already has the lists of their resources.
     *
     * @throws IllegalArgumentException if the kubelet cannot give it a named device; the message says why
     */
    PodSpec.Container container(String name, LocalKubelet kubelet) {
        SortedMap<ResourceName, SortedSet<String>> chosen = new TreeMap<>();
        named.forEach((resource, ids) -> {
            ResourceState state = kubelet.resource(resource);
            SortedSet<String> listed = new TreeSet<>();
            ids.forEach(id -> listed.add(listed(state, id)));
            if (listed.size() < ids.size()) {
                throw new IllegalArgumentException(resource + ": each device must be named once");
            }
            chosen.put(resource, listed);
        });
        return new PodSpec.Container(name, counts, chosen);
    }

    /** The ID that the kubelet knows: that of the device, or of a free share of it. */
    private static String listed(ResourceState state, String id) {
        List<ListedDevice> found = state.devices().stream()
                .filter(device -> device.id().equals(id) || device.id().startsWith(id + Shares.SEPARATOR))
                .sorted(Comparator.comparing(device -> !device.healthy()))
                .toList();
        if (found.isEmpty()) {
            throw new IllegalArgumentException(id + ": no such device of " + state.resource());
        }
        return found.stream()
                .map(ListedDevice::id)
                .filter(one -> !state.allocated().contains(one))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(id + ": is allocated already"));
    }
}
