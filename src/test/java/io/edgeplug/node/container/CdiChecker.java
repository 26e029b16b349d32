package io.edgeplug.node.container;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/**
 * What a strict container runtime would say against a CDI specification, by the text and the JSON schema of the Container
 * Device Interface 1.1.0.
 */
public final class CdiChecker {

    private static final List<String> VERSIONS =
            List.of("0.3.0", "0.4.0", "0.5.0", "0.6.0", "0.7.0", "0.8.0", "1.0.0", "1.1.0");
    private static final Pattern NAME = Pattern.compile("[A-Za-z]([A-Za-z0-9_.-]*[A-Za-z0-9])?");
    private static final Pattern DEVICE = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9_.:-]*[A-Za-z0-9])?");
    private static final Pattern ENV = Pattern.compile("[^=]+=.*");
    private static final Pattern PERMISSIONS = Pattern.compile("[rwm]{1,3}");
    private static final Set<String> EDITS =
            Set.of("env", "deviceNodes", "netDevices", "mounts", "hooks", "intelRdt", "additionalGids");

    private final List<String> problems = new ArrayList<>();
    private int needed;

    private CdiChecker() {}

    /** Everything that is wrong with a specification, which includes a version higher than it needs. */
    public static List<String> problems(String text) {
        CdiChecker checker = new CdiChecker();
        try {
            checker.spec(JsonParser.parseString(text).getAsJsonObject());
        } catch (JsonParseException | IllegalStateException e) {
            checker.problems.add("is no JSON object: " + e.getMessage());
        }
        return checker.problems;
    }

    /** Whether a name is one that a runtime can look up. */
    public static boolean isQualified(String name) {
        String[] parts = name.split("[/=]", 3);
        return parts.length == 3
                && NAME.matcher(parts[0]).matches()
                && NAME.matcher(parts[1]).matches()
                && DEVICE.matcher(parts[2]).matches();
    }

    private void spec(JsonObject spec) {
        only("the specification", spec, Set.of("cdiVersion", "kind", "annotations", "devices", "containerEdits"));
        kind(text("the specification", spec, "kind"));
        annotations(spec);
        Set<String> names = new HashSet<>();
        each("the specification", spec, "devices", (where, device) -> device(where, device, names));
        if (!spec.has("devices") || names.isEmpty()) {
            problems.add("has no device");
        }
        if (spec.has("containerEdits")) {
            edits("the specification", spec.get("containerEdits"));
        }
        version(text("the specification", spec, "cdiVersion"));
    }

    private void version(String version) {
        if (!VERSIONS.contains(version)) {
            problems.add("cdiVersion " + version + " is none");
        } else if (VERSIONS.indexOf(version) != needed) {
            problems.add("cdiVersion is " + version + ", it needs " + VERSIONS.get(needed));
        }
    }

    private void kind(String kind) {
        String[] parts = kind.split("/", -1);
        if (parts.length != 2
                || !NAME.matcher(parts[0]).matches()
                || !NAME.matcher(parts[1]).matches()) {
            problems.add("kind " + kind + " is not vendor/class");
        } else {
            require(parts[1].length() <= 63, "class is longer than 63");
            require(parts[0].length() <= 253, "vendor is longer than 253");
            needs(parts[1].contains(".") ? "0.6.0" : "0.3.0");
        }
    }

    private void device(String where, JsonObject device, Set<String> names) {
        only(where, device, Set.of("name", "annotations", "containerEdits"));
        String name = text(where, device, "name");
        require(DEVICE.matcher(name).matches(), "device name " + name + " is none");
        require(names.add(name), "device " + name + " is there twice");
        needs(!name.isEmpty() && Character.isDigit(name.charAt(0)) ? "0.5.0" : "0.3.0");
        annotations(device);
        require(device.has("containerEdits"), name + " has no containerEdits");
        if (device.has("containerEdits") && !edits(name, device.get("containerEdits"))) {
            problems.add(name + " has empty containerEdits");
        }
    }

    /** Whether there is any. */
    private boolean edits(String where, JsonElement element) {
        if (!element.isJsonObject()) {
            problems.add(where + ": containerEdits is no object");
            return false;
        }
        JsonObject edits = element.getAsJsonObject();
        only(where, edits, EDITS);
        each(where, edits, "deviceNodes", this::node);
        each(where, edits, "mounts", this::mount);
        each(where, edits, "netDevices", (at, net) -> {
            only(at, net, Set.of("hostInterfaceName", "name"));
            text(at, net, "hostInterfaceName");
            text(at, net, "name");
            needs("1.1.0");
        });
        if (edits.has("env")) {
            edits.getAsJsonArray("env")
                    .forEach(env -> require(ENV.matcher(env.getAsString()).matches(), where + ": env " + env));
        }
        needs(edits.has("intelRdt") || edits.has("additionalGids") ? "0.7.0" : "0.3.0");
        return edits.entrySet().stream()
                .anyMatch(edit -> !edit.getValue().isJsonArray()
                        || !edit.getValue().getAsJsonArray().isEmpty());
    }

    private void node(String where, JsonObject node) {
        only(
                where,
                node,
                Set.of("path", "hostPath", "permissions", "type", "major", "minor", "fileMode", "uid", "gid"));
        require(text(where, node, "path").startsWith("/"), where + ": path is not absolute");
        if (node.has("hostPath")) {
            require(text(where, node, "hostPath").startsWith("/"), where + ": hostPath is not absolute");
            needs("0.5.0");
        }
        if (node.has("permissions")) {
            String permissions = text(where, node, "permissions");
            require(
                    PERMISSIONS.matcher(permissions).matches()
                            && permissions.chars().distinct().count() == permissions.length(),
                    where + ": permissions " + permissions);
        }
        require(
                !node.has("type") || Set.of("b", "c", "u", "p").contains(text(where, node, "type")),
                where + ": type is none");
    }

    private void mount(String where, JsonObject mount) {
        only(where, mount, Set.of("hostPath", "containerPath", "options", "type"));
        require(text(where, mount, "hostPath").startsWith("/"), where + ": hostPath is not absolute");
        require(text(where, mount, "containerPath").startsWith("/"), where + ": containerPath is not absolute");
        needs(mount.has("type") ? "0.4.0" : "0.3.0");
        List<JsonElement> options =
                mount.has("options") ? mount.getAsJsonArray("options").asList() : List.of();
        require(
                options.stream().anyMatch(option -> option.getAsString().endsWith("bind")),
                where + ": without the option bind or rbind, it mounts no file of the node");
    }

    private void annotations(JsonObject of) {
        if (of.has("annotations")) {
            needs("0.6.0");
            of.getAsJsonObject("annotations")
                    .entrySet()
                    .forEach(one -> require(one.getValue().getAsJsonPrimitive().isString(), one.getKey()));
        }
    }

    private void each(String where, JsonObject of, String key, BiConsumer<String, JsonObject> check) {
        if (!of.has(key)) {
            return;
        }
        if (!of.get(key).isJsonArray()) {
            problems.add(where + ": " + key + " is no array");
            return;
        }
        for (JsonElement element : of.getAsJsonArray(key)) {
            if (element.isJsonObject()) {
                check.accept(where + ": " + key, element.getAsJsonObject());
            } else {
                problems.add(where + ": " + key + " holds " + element);
            }
        }
    }

    private void only(String where, JsonObject of, Set<String> allowed) {
        for (Map.Entry<String, JsonElement> field : of.entrySet()) {
            require(allowed.contains(field.getKey()), where + ": unknown field " + field.getKey());
            require(!field.getValue().isJsonNull(), where + ": " + field.getKey() + " is null");
        }
    }

    private String text(String where, JsonObject of, String key) {
        JsonElement value = of.get(key);
        if (value == null
                || !value.isJsonPrimitive()
                || !value.getAsJsonPrimitive().isString()) {
            problems.add(where + ": " + key + " is no string");
            return "";
        }
        require(!value.getAsString().isEmpty(), where + ": " + key + " is empty");
        return value.getAsString();
    }

    private void require(boolean kept, String problem) {
        if (!kept) {
            problems.add(problem);
        }
    }

    private void needs(String version) {
        needed = Math.max(needed, VERSIONS.indexOf(version));
    }
}
