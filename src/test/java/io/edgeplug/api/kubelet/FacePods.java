package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;

import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.model.device.ResourceName;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Pods that get devices of a {@link FacesNode}, each as one of its faces. */
final class FacePods {

    private FacePods() {}

    static void await(LocalKubelet kubelet, ResourceName face, int healthy) throws Exception {
        kubelet.await(face, state -> state.registered() && state.allocatable() == healthy, PATIENCE);
    }

    static void awaitAll(LocalKubelet kubelet, int healthy) throws Exception {
        for (ResourceName face : FacesNode.FACES) {
            await(kubelet, face, healthy);
        }
    }

    static void run(LocalKubelet kubelet, String pod, ResourceName face) throws Exception {
        kubelet.admit(PodSpec.of(pod, face, 1));
        kubelet.startContainer(pod, "main");
    }

    /** With a device that the test has chosen. */
    static void run(LocalKubelet kubelet, String pod, ResourceName face, String id) throws Exception {
        PodSpec.Container container = new PodSpec.Container(
                "main", new TreeMap<>(Map.of(face, 1)), new TreeMap<>(Map.of(face, new TreeSet<>(Set.of(id)))));
        kubelet.admit(new PodSpec(pod, List.of(container)));
        kubelet.startContainer(pod, "main");
    }
}
