package io.edgeplug.box;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

/** A pod that a kubelet finds as a file. */
record StaticPod(String name, List<Container> first, List<Container> containers, boolean hasOwnNetwork) {

    StaticPod {
        first = List.copyOf(first);
        containers = List.copyOf(containers);
    }

    /** A container that runs a script of busybox's shell, with limits as {@code example.com/vf=1}. */
    record Container(String name, String script, List<String> limits) {
        Container {
            limits = List.copyOf(limits);
        }
    }

    /** A pod with one container, which runs a script and then for ever. */
    static StaticPod of(String name, String script, String... limits) {
        return new StaticPod(name, List.of(), List.of(running("main", script, limits)), false);
    }

    /** The same with an init container, which runs a script. */
    StaticPod after(String script, String... limits) {
        return new StaticPod(name, List.of(new Container("first", script, List.of(limits))), containers, hasOwnNetwork);
    }

    /** The same with one more container, which runs a script and then for ever. */
    StaticPod beside(String container, String script, String... limits) {
        List<Container> all = Stream.concat(containers.stream(), Stream.of(running(container, script, limits)))
                .toList();
        return new StaticPod(name, first, all, hasOwnNetwork);
    }

    private static Container running(String name, String script, String... limits) {
        return new Container(name, script + "\nexec sleep inf", List.of(limits));
    }

    /** The same in a network namespace of its own, for which a node needs {@code src/test/kubelets/interfaces}. */
    StaticPod withOwnNetwork() {
        return new StaticPod(name, first, containers, true);
    }

    /**
     * Its identity. A kubelet would derive one from the file, and each release would derive another one. An upgraded
     * kubelet would then take the pod for a new one.
     */
    String uid() {
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString();
    }

    /** Its file. */
    String manifest() {
        JsonObject spec = new JsonObject();
        spec.addProperty("hostNetwork", !hasOwnNetwork);
        spec.addProperty("terminationGracePeriodSeconds", 1);
        spec.add("initContainers", array(first));
        spec.add("containers", array(containers));
        JsonObject pod = object(Map.of("apiVersion", "v1", "kind", "Pod"));
        pod.add("metadata", object(Map.of("name", name, "namespace", "default", "uid", uid())));
        pod.add("spec", spec);
        return pod.toString();
    }

    private static JsonArray array(List<Container> containers) {
        JsonArray array = new JsonArray();
        for (Container container : containers) {
            JsonObject json = object(
                    Map.of("name", container.name(), "image", "localhost/busybox:1", "imagePullPolicy", "Never"));
            JsonArray command = new JsonArray();
            Stream.of("sh", "-c", container.script()).forEach(command::add);
            json.add("command", command);
            JsonObject limits = new JsonObject();
            for (String limit : container.limits()) {
                String[] words = limit.split("=", 2);
                limits.addProperty(words[0], words[1]);
            }
            JsonObject resources = new JsonObject();
            resources.add("limits", limits);
            json.add("resources", resources);
            array.add(json);
        }
        return array;
    }

    private static JsonObject object(Map<String, String> values) {
        JsonObject object = new JsonObject();
        values.forEach(object::addProperty);
        return object;
    }
}
