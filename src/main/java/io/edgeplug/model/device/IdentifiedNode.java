package io.edgeplug.model.device;

import java.util.List;
import java.util.Optional;

/**
 * What tells a device node from that of another device.
 *
 * @param path without links, absolute as the node sees it
 * @param number such as {@code 188:1}; empty if it is not known
 * @param origin the device behind it, such as {@code usb 0403:6001 serial A1 1.0}; empty if that is not known
 */
public record IdentifiedNode(String path, String number, String origin) {

    private static final String UNKNOWN = "not known: ";

    /** The origin of a node if it could not be read this time. */
    public static String unknown(String problem) {
        return UNKNOWN + problem;
    }

    /** Whether an origin could not be read, or is none. */
    public static boolean isUnknown(String origin) {
        return origin.isEmpty() || origin.startsWith(UNKNOWN);
    }

    /** Whether a container that was given this node would reach the device with that other one. */
    public boolean is(IdentifiedNode other) {
        return path.equals(other.path) && isSame(number, other.number) && isSame(origin, other.origin);
    }

    /** What was not known at first may have become known since. What was known must be so still. */
    private static boolean isSame(String was, String now) {
        return isUnknown(was) || was.equals(now);
    }

    /** The same after a boot of the node, which may give each number to another driver. */
    public IdentifiedNode afterBoot() {
        return new IdentifiedNode(path, "", origin);
    }

    /** Whether both lead to the same node, whichever device that is. */
    public boolean meets(IdentifiedNode other) {
        return path.equals(other.path) || (!number.isEmpty() && number.equals(other.number));
    }

    /**
     * The first difference between the nodes that a pod was given and those of its device now, as the end of a sentence
     * about the device; empty if there is none.
     */
    public static Optional<String> change(List<IdentifiedNode> given, List<IdentifiedNode> now) {
        for (IdentifiedNode node : given) {
            if (now.stream().noneMatch(node::is)) {
                return Optional.of(now.stream()
                        .filter(one -> one.path.equals(node.path))
                        .findFirst()
                        .or(() -> given.size() == 1 ? now.stream().findFirst() : Optional.empty())
                        .map(node::change)
                        .orElseGet(() -> "has no %s any more, which its pod was given".formatted(node.path)));
            }
        }
        return Optional.empty();
    }

    /**
     * Those with a number at the end of their name, such as {@code /dev/infiniband/uverbs0}. When a driver makes them
     * again, each may get the number that another device had.
     */
    public static List<IdentifiedNode> numbered(List<String> paths) {
        return paths.stream()
                .filter(path -> !sort(path).equals(path))
                .map(path -> new IdentifiedNode(path, "", ""))
                .toList();
    }

    /**
     * The same as {@link #change} for nodes that drivers number. A node that the device does not have now says nothing:
     * it may be in its pod's namespace, or another driver may be bound.
     */
    public static Optional<String> renumbered(List<IdentifiedNode> given, List<IdentifiedNode> now) {
        return given.stream()
                .filter(node -> now.stream().noneMatch(node::is))
                .flatMap(node -> now.stream()
                        .filter(one -> sort(one.path).equals(sort(node.path)))
                        .limit(1)
                        .map(node::change))
                .findFirst();
    }

    private static String sort(String path) {
        return path.replaceAll("\\d+$", "");
    }

    private String change(IdentifiedNode now) {
        if (!path.equals(now.path)) {
            return "is " + now.path + " now, and its pod was given " + path;
        }
        if (!isSame(number, now.number)) {
            return "is %s with the number %s now, and its pod was given %s".formatted(path, now.number, number);
        }
        if (now.origin.startsWith(UNKNOWN)) {
            return "may be another device than %s, which its pod was given: %s"
                    .formatted(origin, now.origin.substring(UNKNOWN.length()));
        }
        return "is %s now, and its pod was given %s"
                .formatted(now.origin.isEmpty() ? path + " without a device" : now.origin, origin);
    }
}
