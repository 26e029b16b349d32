package io.edgeplug.kubelet;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The IDs by which the kubelet knows a device: its own, or where it is shared, {@code ID::0} to {@code ID::N-1}.
 *
 * <p>Only the kubelet's side of the plugin knows of shares; health, NUMA nodes and what a container gets are the
 * device's.
 *
 * @param perDevice 1 if devices are not shared
 */
record Shares(int perDevice) {

    /** So many IDs of a resource, at 128 bytes each, fit into a message that the kubelet takes. */
    private static final int MAX_LISTED = 1 << 15;

    static final String SEPARATOR = "::";

    private static final Pattern SHARE = Pattern.compile("(.+)" + SEPARATOR + "(0|[1-9]\\d{0,3})");

    /** The IDs of one device among so many; fewer than usual if otherwise the list were longer than the kubelet takes. */
    List<String> ids(String device, int devices) {
        if (perDevice == 1) {
            return List.of(device);
        }
        int fitting = Math.max(1, MAX_LISTED / Math.max(1, devices));
        return IntStream.range(0, Math.min(perDevice, fitting))
                .mapToObj(share -> device + SEPARATOR + share)
                .toList();
    }

    /** The device that an ID is of; empty if it is none of {@link #ids}. */
    Optional<String> device(String id) {
        if (perDevice == 1) {
            return Optional.of(id);
        }
        Matcher share = SHARE.matcher(id);
        return share.matches() && Integer.parseInt(share.group(2)) < perDevice
                ? Optional.of(share.group(1))
                : Optional.empty();
    }
}
