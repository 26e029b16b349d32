package io.edgeplug.api.status;

import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static io.edgeplug.api.kubelet.TestDaemon.VF0;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.Pod;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.node.pods.HeldDevices;
import io.edgeplug.proto.status.GetRequest;
import io.edgeplug.proto.status.Node;
import io.edgeplug.proto.status.NodeStatusGrpc.NodeStatusBlockingStub;
import io.edgeplug.proto.status.Problem;
import io.edgeplug.proto.status.Resource;
import io.edgeplug.proto.status.WatchRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the daemon says of itself to whoever asks, once or all the time. */
@Timeout(60)
final class StatusSocketTest extends OnStatusSocket {

    @Test
    void whoeverAsksIsToldOfResourcesHoldersProblemsAndEvents() throws Exception {
        Pod pod = kubelet.admit(PodSpec.of("dpdk", NODE0, 1).in("edge"));
        String given = pod.container("main").devices(NODE0).getFirst();
        kubelet.startContainer("dpdk", "main");
        daemon.node.pull(PciAddress.parse(given).orElseThrow());
        kubelet.await(NODE0, state -> state.allocatable() == 1, PATIENCE);

        // the name comes after the notes
        Node node = await(
                one -> !one.getHeldList().isEmpty() && !one.getHeld(0).getPod().isEmpty());

        assertThat(node.getVersion()).isEqualTo("edgeplug 1");
        assertThat(node.getHasKubelet()).isTrue();
        Resource resource = resource(node);
        assertThat(resource.getRegistered()).isTrue();
        assertThat(resource.getTotal()).isEqualTo(2);
        assertThat(resource.getUnhealthy()).isEqualTo(1);
        assertThat(node.getHeldList()).singleElement().satisfies(held -> {
            assertThat(held.getDevice()).isEqualTo(given);
            assertThat(held.getNamespace()).isEqualTo("edge");
            assertThat(held.getPod()).isEqualTo("dpdk");
            assertThat(held.getContainer()).isEqualTo("main");
        });
        assertThat(node.getEventsList())
                .anyMatch(event -> event.getWarning() && event.getText().contains("is gone"));
        assertThat(problems(node)).singleElement().satisfies(problem -> {
            assertThat(problem.getSince()).isPositive();
            assertThat(problem.getText())
                    .isEqualTo("is gone, and a container may hold it: put it back, or delete the pod");
        });
    }

    @Test
    void whoeverWatchesIsToldOfEachChange() throws Exception {
        Iterator<Node> answers = stub().watch(WatchRequest.getDefaultInstance());
        await(answers, node -> resource(node).getFree() == 2);

        daemon.node.pull(VF0);
        await(answers, node -> resource(node).getTotal() == 1);

        kubelet.admit(PodSpec.of("pod", NODE0, 1));
        socket.wake();
        await(answers, node -> resource(node).getHeld() == 1);
    }

    @Test
    void notesThatCannotBeReadAreReportedAndTheirDevicesAreNotFree() throws Exception {
        Pod pod = kubelet.admit(PodSpec.of("dpdk", NODE0, 1));
        Path notes = directory.resolve("device-plugins").resolve(HeldDevices.FILE);
        Node known = await(node -> resource(node).getHeld() == 1);
        assertThat(resource(known).getFree()).isEqualTo(1);
        byte[] whole = Files.readAllBytes(notes);

        replace(notes, "no notes of a kubelet".getBytes(StandardCharsets.UTF_8));

        Node node = await(one -> resource(one).getUnknown() > 0);
        assertThat(resource(node).getFree()).isZero();
        assertThat(resource(node).getHeld())
                .isEqualTo(pod.container("main").devices(NODE0).size());
        assertThat(problems(node)).singleElement().satisfies(problem -> {
            assertThat(problem.getDevice()).isEqualTo("(holders)");
            assertThat(problem.getText())
                    .startsWith(notes + ": is not as a kubelet writes it")
                    .contains("systemctl restart edgeplug");
            assertThat(problem.getSince()).isPositive();
        });
        assertThat(node.getEventsList())
                .anyMatch(event -> event.getWarning() && event.getText().contains(HeldDevices.FILE));

        replace(notes, whole);

        Node again = await(one -> resource(one).getUnknown() == 0);
        assertThat(resource(again).getFree()).isEqualTo(1);
        assertThat(problems(again)).isEmpty();
    }

    /** As the kubelet does. */
    private static void replace(Path file, byte[] content) throws IOException {
        Path other = Files.write(file.resolveSibling("new"), content);
        Path ignored = Files.move(other, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    @Test
    void kubeletWithoutNotesHasGivenNothing() throws Exception {
        Files.delete(directory.resolve("device-plugins").resolve(HeldDevices.FILE));

        daemon.lookAtHolders();

        assertThat(daemon.view().read().notes().areRead()).isTrue();
        assertThat(resource(stub().get(GetRequest.getDefaultInstance())).getFree())
                .isEqualTo(2);
    }

    /** Other tests of this JVM have bugs on purpose, which the process counts. */
    private static List<Problem> problems(Node node) {
        return node.getProblemsList().stream()
                .filter(problem -> !problem.getText().startsWith("bugs that ended its work"))
                .toList();
    }

    private static Resource resource(Node node) {
        return node.getResourcesList().stream()
                .filter(one -> one.getName().equals(NODE0.toString()))
                .findFirst()
                .orElseThrow();
    }

    private Node await(Predicate<Node> wanted) {
        NodeStatusBlockingStub stub = stub();
        Node node = stub.get(GetRequest.getDefaultInstance());
        while (!wanted.test(node)) {
            node = stub.get(GetRequest.getDefaultInstance());
        }
        return node;
    }

    /** The deadline of the call is that of the wait. */
    private static void await(Iterator<Node> answers, Predicate<Node> wanted) {
        Node node = answers.next();
        while (!wanted.test(node)) {
            node = answers.next();
        }
    }
}
