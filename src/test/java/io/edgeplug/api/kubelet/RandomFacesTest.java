package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.FacesNode.FACES;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.AdmissionException;
import io.edgeplug.lab.localkubelet.ContainerStartException;
import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.lab.localkubelet.ResourceState;
import io.edgeplug.model.device.ResourceName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pods that come and go at random, on devices of which each has three faces, while kubelet and daemon are restarted: no device
 * ever has two holders, and each is scrubbed exactly once between two of them. {@code -Dpods=10000} makes it long.
 */
final class RandomFacesTest {

    private static final int DEVICES = 8;
    private static final int PODS = Integer.getInteger("pods", 60);

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    private final Random random = new Random(Long.getLong("seed", 27));

    /** By ID, the pods that hold devices. */
    private final Map<String, String> holders = new HashMap<>();

    /** By pod, whether its container has started. */
    private final Map<String, Boolean> pods = new LinkedHashMap<>();

    /** By ID, how many pods have used each. */
    private final Map<String, Integer> uses = new HashMap<>();

    /** What the nodes before did, of which each daemon has its own. */
    private final List<String> acts = new ArrayList<>();

    private int refused;

    @Test
    void noDeviceHasTwoHoldersAndEachIsScrubbedOnceBetweenTwoOfThem() throws Exception {
        FacesNode.make(directory, DEVICES);
        Path kubeletDir = directory.resolve("device-plugins");
        LocalKubelet kubelet =
                closing.add(LocalKubelet.open(kubeletDir, KubeletOptions.DEFAULTS.withRoot(directory), event -> {}));
        TestDaemon daemon = open();
        awaitLists(kubelet);

        int came = 0;
        while (came < PODS) {
            int what = random.nextInt(100);
            if (what < 2) {
                kubelet.restart();
                awaitLists(kubelet);
            } else if (what < 4) {
                daemon.close();
                acts.addAll(daemon.node.acts());
                countInterruptedScrubs();
                daemon = open();
                awaitLists(kubelet);
            } else if (what < 55 || pods.isEmpty()) {
                came += come(kubelet, daemon, "pod-" + came) ? 1 : 0;
            } else {
                go(kubelet);
            }
        }
        while (!pods.isEmpty()) {
            go(kubelet);
        }

        kubelet.await(states -> all(states, state -> state.allocatable() == DEVICES), PATIENCE.multipliedBy(2));
        for (int i = 0; i < DEVICES; i++) {
            assertThat(resets(daemon, FacesNode.id(i))).isEqualTo(uses.getOrDefault(FacesNode.id(i), 0));
        }
        assertThat(refused).isLessThan(PODS);
    }

    /** What a daemon has done and not noted before it ended is done again by the next one. */
    private void countInterruptedScrubs() {
        uses.replaceAll((id, count) ->
                Files.exists(directory.resolve("node/var/lib/edgeplug/used").resolve(id + ".used"))
                                && resets(acts, id) == count
                        ? count + 1
                        : count);
    }

    private TestDaemon open() throws Exception {
        return closing.add(
                TestDaemon.open(directory, directory.resolve("device-plugins"), FacesNode.classes("reset = \"flr\"")));
    }

    private static void awaitLists(LocalKubelet kubelet) throws Exception {
        kubelet.await(
                states -> all(
                        states, state -> state.registered() && state.devices().size() == DEVICES),
                PATIENCE);
    }

    private static boolean all(SortedMap<ResourceName, ResourceState> states, Predicate<ResourceState> wanted) {
        return states.keySet().containsAll(FACES) && states.values().stream().allMatch(wanted);
    }

    /** Whether a pod has come; none does as long as the kubelet knows of no free device. */
    private boolean come(LocalKubelet kubelet, TestDaemon daemon, String pod) throws Exception {
        ResourceName face = FACES.get(random.nextInt(FACES.size()));
        if (kubelet.resource(face).allocatable() == 0) {
            return false;
        }
        Set<String> ids = Set.of();
        try {
            ids = kubelet.admit(PodSpec.of(pod, face, 1))
                    .container("main")
                    .devices()
                    .getOrDefault(face, new TreeSet<>());
        } catch (AdmissionException e) {
            // the list that says so is on its way, or the kubelet has counted what others hold
            assertThat(e)
                    .message()
                    .containsAnyOf("is held as", "scrubbed", "devices unavailable", "no healthy devices");
            refused++;
            return false;
        }
        for (String id : ids) {
            assertThat(holders.put(id, pod))
                    .as("holder of %s beside %s", id, pod)
                    .isNull();
        }
        boolean starts = random.nextInt(10) > 0;
        pods.put(pod, starts);
        if (starts) {
            start(kubelet, pod);
            for (String id : ids) {
                assertThat(resets(daemon, id))
                        .as("scrubs of %s before %s", id, pod)
                        .isEqualTo(uses.getOrDefault(id, 0));
                uses.merge(id, 1, Integer::sum);
            }
        }
        return true;
    }

    /** The kubelet tries again, as often as it takes. */
    private static void start(LocalKubelet kubelet, String pod) {
        Seen.untilSo("a container of " + pod + " that starts", () -> {
            try {
                kubelet.startContainer(pod, "main");
                return true;
            } catch (ContainerStartException e) {
                return false;
            }
        });
    }

    private void go(LocalKubelet kubelet) {
        List<String> all = List.copyOf(pods.keySet());
        String pod = all.get(random.nextInt(all.size()));
        pods.remove(pod);
        holders.values().removeIf(pod::equals);
        if (random.nextBoolean()) {
            kubelet.delete(pod);
        } else {
            kubelet.remove(pod);
        }
    }

    private int resets(TestDaemon daemon, String id) {
        return resets(acts, id) + resets(daemon.node.acts(), id);
    }

    private static int resets(List<String> acts, String id) {
        return (int) acts.stream().filter((id + FacesNode.RESET)::equals).count();
    }
}
