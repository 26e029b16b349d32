package io.edgeplug.cli.report;

import com.google.protobuf.Message;
import io.edgeplug.cli.devices.ColumnTable;
import io.edgeplug.cli.options.Lines;
import io.edgeplug.proto.status.Configuration;
import io.edgeplug.proto.status.Event;
import io.edgeplug.proto.status.HeldDevice;
import io.edgeplug.proto.status.Node;
import io.edgeplug.proto.status.Resource;
import io.edgeplug.proto.status.Slices;
import io.edgeplug.system.kernel.PlainText;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A status as text for people, and as JSON. */
final class StatusText {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneId.systemDefault());

    private static final List<String> OF_RESOURCES =
            List.of("RESOURCE", "TOTAL", "FREE", "HELD", "PREPARING", "UNHEALTHY", "KUBELET", "");

    /** Beside the name of a pod. */
    private static final String UNHEALTHY = " (unhealthy)";

    /** Beside the heading of events: the log has no line at the end of each problem. */
    private static final String OF_WARNINGS = "a warning here may be over, see the first line";

    /** The fields with seconds since 1970. */
    private static final Set<String> TIMES = Set.of("started", "read", "since", "time");

    private StatusText() {}

    /** A screen. Without the daemon's version, it is for a node whose daemon does not run. */
    static List<String> lines(Node node) {
        boolean runs = !node.getVersion().isEmpty();
        List<String> lines = new ArrayList<>();
        if (runs) {
            lines.add(StatusVerdict.line(node));
            lines.add("%s, running since %s".formatted(node.getVersion(), time(node.getStarted())));
            addConfiguration(lines, node.getConfiguration());
            lines.add(kubelet(node));
            if (node.hasSlices()) {
                lines.add(slices(node.getSlices()));
            }
        }
        addTable(
                lines,
                OF_RESOURCES,
                node.getResourcesList().stream()
                        .map(resource -> resource(resource, runs))
                        .toList());
        addTable(lines, List.of("DEVICE", "RESOURCE", "WITHHELD SINCE", "BECAUSE IT"), problems(node, true));
        addTable(lines, List.of("DEVICE", "RESOURCE", "HELD BY"), held(node));
        addMore(lines, node.getHeldMore());
        addTable(lines, List.of("DEVICE", "RESOURCE", "UNHEALTHY SINCE", "PROBLEM"), problems(node, false));
        addMore(lines, node.getProblemsMore());
        addTable(lines, List.of("DEVICE", "RESOURCE", "FAILED SINCE", "WHAT"), failures(node));
        addTable(
                lines,
                List.of("LAST EVENTS", node.getEventsList().stream().anyMatch(Event::getWarning) ? OF_WARNINGS : ""),
                node.getEventsList().stream()
                        .map(event -> List.of(
                                time(event.getTime()), (event.getWarning() ? "warning: " : "") + event.getText()))
                        .toList());
        return lines;
    }

    private static List<List<String>> held(Node node) {
        return node.getHeldList().stream()
                .map(held -> List.of(
                        held.getDevice(), held.getResource(), holder(held) + (held.getUnhealthy() ? UNHEALTHY : "")))
                .toList();
    }

    private static List<List<String>> failures(Node node) {
        return node.getFailuresList().stream()
                .map(failure -> List.of(
                        failure.getSubject(),
                        failure.getResource(),
                        time(failure.getSince()),
                        failure.getWhat() + " " + failure.getText()))
                .toList();
    }

    private static void addConfiguration(List<String> lines, Configuration configuration) {
        if (!configuration.getProblem().isEmpty()) {
            lines.add("configuration: " + PlainText.of(configuration.getProblem()));
            configuration.getMistakesList().forEach(mistake -> lines.add("  " + PlainText.of(mistake)));
            addMore(lines, configuration.getMistakesMore());
        }
    }

    private static List<List<String>> problems(Node node, boolean withheld) {
        return node.getProblemsList().stream()
                .filter(problem -> problem.getWithheld() == withheld)
                .map(problem -> List.of(
                        problem.getDevice(), problem.getResource(), time(problem.getSince()), problem.getText()))
                .toList();
    }

    private static String kubelet(Node node) {
        long registered =
                node.getResourcesList().stream().filter(Resource::getRegistered).count();
        return node.getHasKubelet()
                ? "kubelet: has %d of %d resources".formatted(registered, node.getResourcesCount())
                : "kubelet: waiting for it"
                        + (node.hasKubeletAbsence()
                                ? " since " + time(node.getKubeletAbsence().getSince()) + ": "
                                        + PlainText.of(node.getKubeletAbsence().getReason())
                                : "");
    }

    private static String slices(Slices slices) {
        String published = "%s in %s of pool %s, generation %d"
                .formatted(
                        count(slices.getDevices(), "device"),
                        count(slices.getSlices(), "slice"),
                        slices.getPool(),
                        slices.getGeneration());
        String state = slices.getProblem().isEmpty()
                ? published
                : "not published: " + PlainText.of(slices.getProblem())
                        + (slices.getSlices() == 0 ? "" : "; before: " + published);
        String fallback = slices.getFallback().isEmpty()
                ? ""
                : "; devices are prepared only when the kubelet asks: " + PlainText.of(slices.getFallback());
        return "%s: %s; %s%s".formatted(slices.getDriver(), state, count(slices.getClaims(), "claim"), fallback);
    }

    private static String count(int count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }

    private static List<String> resource(Resource resource, boolean runs) {
        return List.of(
                resource.getName(),
                Integer.toString(resource.getTotal()),
                Integer.toString(resource.getFree()),
                runs ? held(resource) : "-",
                runs ? Integer.toString(resource.getPreparing()) : "-",
                Integer.toString(resource.getUnhealthy()),
                resource.getRegistered() ? "registered" : "-",
                remark(resource));
    }

    /** What the counts leave open. A device is counted in one column only, so one with a problem is not counted as held. */
    private static String remark(Resource resource) {
        if (resource.getTotal() == 0) {
            return "no device matches, see edgeplug check";
        }
        return Stream.of(
                        resource.getUnknown() > 0 ? resource.getUnknown() + " may be held, see below" : "",
                        resource.getHeldUnhealthy() > 0 ? "also held: " + resource.getHeldUnhealthy() : "")
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining("; "));
    }

    /** Of shared devices, the shares that are held and all. */
    private static String held(Resource resource) {
        return resource.getShares() > 1
                ? resource.getHeldShares() + "/" + resource.getTotal() * resource.getShares()
                : Integer.toString(resource.getHeld());
    }

    static String holder(HeldDevice held) {
        return held.getPod().isEmpty()
                ? "container %s of pod %s".formatted(held.getContainer(), held.getPodUid())
                : held.getNamespace() + "/" + held.getPod() + "/" + held.getContainer();
    }

    static String time(long seconds) {
        return seconds == 0 ? "-" : TIME.format(Instant.ofEpochSecond(seconds));
    }

    private static void addMore(List<String> lines, int more) {
        if (more > 0) {
            lines.add("and " + more + " more");
        }
    }

    /** The table follows an empty line. It is left out if it has no rows. */
    private static void addTable(List<String> lines, List<String> headings, List<List<String>> rows) {
        if (rows.isEmpty()) {
            return;
        }
        if (!lines.isEmpty()) {
            lines.add("");
        }
        List<List<String>> cells = new ArrayList<>();
        cells.add(headings);
        rows.forEach(row -> cells.add(row.stream().map(PlainText::of).toList()));
        lines.addAll(ColumnTable.padded(cells));
    }

    static String json(Node node) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("running", !node.getVersion().isEmpty());
        object.putAll(object(node, "version", "started"));
        object.put("configuration", object(node.getConfiguration(), "read", "problem", "mistakes", "mistakesMore"));
        object.put("kubelet", node.getHasKubelet());
        object.put("kubeletAbsence", node.getKubeletAbsence().getReason());
        object.put("kubeletAbsentSince", utc(node.getKubeletAbsence().getSince()));
        if (node.hasSlices()) {
            Slices slices = node.getSlices();
            Map<String, Object> all = object(slices, "driver", "pool", "generation", "slices", "devices");
            all.put("published", slices.getProblem().isEmpty());
            all.putAll(object(slices, "problem", "claims", "fallback"));
            object.put("slices", all);
        }
        object.put(
                "resources",
                objects(
                        node.getResourcesList(),
                        "resource=name",
                        "registered",
                        "total",
                        "free",
                        "unknown",
                        "held",
                        "heldShares",
                        "preparing",
                        "withheld",
                        "unhealthy",
                        "shares"));
        object.put(
                "held", objects(node.getHeldList(), "resource", "device", "namespace", "pod", "podUid", "container"));
        object.put("heldMore", node.getHeldMore());
        object.put(
                "problems",
                objects(node.getProblemsList(), "resource", "device", "since", "problem=text", "withheld", "stuck"));
        object.put("problemsMore", node.getProblemsMore());
        object.put("failures", objects(node.getFailuresList(), "what", "subject", "resource", "since", "text"));
        object.put("events", objects(node.getEventsList(), "time", "warning", "text"));
        return Lines.json(object);
    }

    private static List<Map<String, Object>> objects(List<? extends Message> messages, String... keys) {
        return messages.stream().map(message -> object(message, keys)).toList();
    }

    /** The fields of a message, by their names in JSON. The key {@code problem=text} is another name for {@code text}. */
    private static Map<String, Object> object(Message message, String... keys) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (String key : keys) {
            String name = key.substring(key.indexOf('=') + 1);
            Object value = message.getDescriptorForType().getFields().stream()
                    .filter(field -> field.getJsonName().equals(name))
                    .map(message::getField)
                    .findFirst()
                    .orElseThrow();
            object.put(
                    key.split("=", 2)[0], TIMES.contains(name) && value instanceof Long seconds ? utc(seconds) : value);
        }
        return object;
    }

    private static String utc(long seconds) {
        return seconds == 0 ? "" : Instant.ofEpochSecond(seconds).toString();
    }
}
