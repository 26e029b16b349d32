package io.edgeplug.lab.localkubelet;

import static io.edgeplug.lab.localkubelet.TestPlugin.healthy;
import static io.edgeplug.lab.localkubelet.TestPlugin.unhealthy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.edgeplug.model.device.ResourceName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeviceListTest {

    private static final ResourceName VF = ResourceName.parse("example.com/vf");

    @TempDir
    Path directory;

    @Test
    void unhealthyDevicesCountInCapacityAndNotInAllocatable() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            node.registered(VF, "vf.sock", healthy("b"), unhealthy("a"));

            ResourceState state = node.kubelet().resource(VF);
            assertThat(state.capacity()).isEqualTo(2);
            assertThat(state.allocatable()).isEqualTo(1);
            assertThat(state.devices()).extracting(ListedDevice::id).containsExactly("a", "b");
        }
    }

    @Test
    void eachListReplacesTheOneBefore() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"), healthy("b"));
            plugin.send(unhealthy("b"), healthy("c"), healthy("d"));

            ResourceState state = node.await(VF, now -> now.capacity() == 3);
            assertThat(state.devices()).extracting(ListedDevice::toString).containsExactly("b (unhealthy)", "c", "d");
        }
    }

    @Test
    void idListedHealthyAndUnhealthyCountsTwice() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            node.registered(VF, "vf.sock", healthy("a"), unhealthy("a"));
            assertThat(node.kubelet().resource(VF).capacity()).isEqualTo(2);
        }
    }

    @Test
    void everyDeviceIsUnhealthyAtTheEndOfTheStream() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"), healthy("b"));
            plugin.endStreams();

            ResourceState state = node.await(VF, now -> !now.registered());
            assertThat(state.capacity()).isEqualTo(2);
            assertThat(state.allocatable()).isZero();
            assertThat(node.events()).endsWith(new KubeletEvent.StreamEnded(VF, "vf.sock", "EOF"));
        }
    }

    @Test
    void everyDeviceIsUnhealthyWhenThePluginDies() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"));
            plugin.close();

            assertThat(node.await(VF, now -> !now.registered()).allocatable()).isZero();
            assertThat(node.events(KubeletEvent.StreamEnded.class))
                    .singleElement()
                    .satisfies(end -> assertThat(end.reason()).startsWith("rpc error: code = "));
        }
    }

    @Test
    void awaitInVainSaysWhatItSawLast() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            node.registered(VF, "vf.sock", healthy("a"), unhealthy("b", 1));
            assertThatExceptionOfType(TimeoutException.class)
                    .isThrownBy(() -> node.kubelet().await(VF, state -> false, Duration.ofMillis(20)))
                    .withMessage("not as awaited after 20 ms; last seen: example.com/vf registered on vf.sock, "
                            + "1 of 2 devices healthy, 0 allocated: a, b (unhealthy) on NUMA 1");
            assertThatExceptionOfType(TimeoutException.class)
                    .isThrownBy(() -> node.kubelet().await(states -> false, Duration.ofMillis(20)))
                    .withMessageContaining("1 resources: example.com/vf registered");
        }
    }

    @Test
    void failingListenerDoesNotHarmTheKubelet() throws Exception {
        try (LocalKubelet kubelet = LocalKubelet.open(directory, event -> {
            throw new IllegalStateException("no ear for " + event.text());
        })) {
            assertThat(kubelet.resources()).isEmpty();
            assertThat(kubelet.resource(VF).text()).startsWith("example.com/vf is unknown");
        }
    }

    @Test
    void eventsHaveOneLineEach() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            node.registered(VF, "vf.sock", healthy("a"), unhealthy("b"));
            assertThat(node.events())
                    .extracting(KubeletEvent::text)
                    .isEqualTo(List.of(
                            "serving " + directory.resolve("kubelet.sock"),
                            "example.com/vf: registered on vf.sock",
                            "example.com/vf: 1 of 2 devices healthy: a, b (unhealthy)"));
        }
    }
}
