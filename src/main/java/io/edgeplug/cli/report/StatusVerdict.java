package io.edgeplug.cli.report;

import io.edgeplug.proto.status.Node;
import io.edgeplug.proto.status.Problem;
import io.edgeplug.proto.status.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The first line of a status: whether there is something for a person to do, and what. */
final class StatusVerdict {

    private StatusVerdict() {}

    /** A line such as {@code all well} or {@code 2 things need you: the configuration on disk, 1 unhealthy device}. */
    static String line(Node node) {
        List<String> things = things(node);
        return things.isEmpty()
                ? "all well"
                : things.size() + (things.size() == 1 ? " thing needs" : " things need") + " you: "
                        + String.join(", ", things);
    }

    private static List<String> things(Node node) {
        List<String> things = new ArrayList<>();
        if (!node.getConfiguration().getProblem().isEmpty()) {
            things.add("the configuration on disk");
        }
        if (!node.getHasKubelet()) {
            things.add("the kubelet");
        }
        node.getProblemsList().stream().filter(StatusVerdict::isOfDaemon).forEach(one -> things.add(name(one)));
        add(things, node.getHasKubelet() ? count(node, one -> !one.getRegistered()) : 0, "resource", "not registered");
        add(things, count(node, one -> one.getTotal() == 0), "resource", "without a device");
        add(
                things,
                node.getResourcesList().stream()
                        .mapToLong(Resource::getUnhealthy)
                        .sum(),
                "unhealthy device",
                "");
        add(things, node.getProblemsList().stream().filter(Problem::getStuck).count(), "device", "not scrubbed");
        add(things, node.getFailuresCount(), "failure", "for a pod");
        if (!node.getSlices().getProblem().isEmpty()) {
            things.add("the slices of " + node.getSlices().getDriver());
        }
        return things;
    }

    private static long count(Node node, Predicate<Resource> isMeant) {
        return node.getResourcesList().stream().filter(isMeant).count();
    }

    private static void add(List<String> things, long count, String what, String which) {
        if (count > 0) {
            things.add((count + " " + what + (count == 1 ? "" : "s") + " " + which).strip());
        }
    }

    /** Whether it is a problem of the daemon itself, and not of a device. */
    private static boolean isOfDaemon(Problem problem) {
        return problem.getDevice().startsWith("(");
    }

    private static String name(Problem problem) {
        return problem.getResource() + " " + problem.getDevice();
    }
}
