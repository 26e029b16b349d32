package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.TestSlices.consumed;
import static io.edgeplug.api.dra.TestSlices.counterSets;
import static io.edgeplug.api.dra.TestSlices.devices;
import static io.edgeplug.api.dra.TestSlices.face;
import static io.edgeplug.api.dra.TestSlices.names;
import static io.edgeplug.api.dra.TestSlices.pools;
import static io.edgeplug.api.dra.TestSlices.vf;
import static io.edgeplug.api.dra.TestSlices.vfs;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.edgeplug.api.kubelet.LogLines;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.rules.DeviceClass;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The slices with devices that have several faces, of which a claim has one. */
@Timeout(60)
final class FaceSlicesTest extends OnApiServer {

    private static final DeviceClass NET = face("example.com/net");
    private static final DeviceClass DPDK = face("example.com/dpdk");

    private void offer(List<Device> devices, Set<String> asNet, Set<String> asDpdk) {
        offer(TestSlices.offer(NET, devices, asNet, Set.of()), TestSlices.offer(DPDK, devices, asDpdk, Set.of()));
    }

    private List<JsonObject> published(int devices, int told) throws InterruptedException {
        offer(vfs(devices), Set.of(), Set.of());
        return start(slices -> names(slices).size() == told && isComplete(slices));
    }

    private static boolean isComplete(List<JsonObject> slices) {
        return pools(slices).size() == 1
                && pools(slices).getFirst().contains("\"resourceSliceCount\":" + slices.size() + "}")
                && CounterRules.isWhole(slices);
    }

    private static String name(DeviceClass face, int number) {
        return DeviceNames.of(face, vf(number).id());
    }

    @Test
    void facesOfADeviceConsumeOneCounter() throws Exception {
        List<JsonObject> slices = published(2, 4);

        assertThat(names(slices)).containsExactly(name(NET, 0), name(NET, 1), name(DPDK, 0), name(DPDK, 1));
        assertThat(name(NET, 0)).startsWith("0000-3b-00-0-example-com-net-").isNotEqualTo(name(DPDK, 0));
        assertThat(consumed(slices)).containsExactly("0000-3b-00-0", "0000-3b-00-1", "0000-3b-00-0", "0000-3b-00-1");
        assertThat(counterSets(slices))
                .extracting(JsonObject::toString)
                .containsExactly(
                        "{\"name\":\"0000-3b-00-0\",\"counters\":{\"use\":{\"value\":\"1\"}}}",
                        "{\"name\":\"0000-3b-00-1\",\"counters\":{\"use\":{\"value\":\"1\"}}}");
        assertThat(devices(slices).getFirst().get("consumesCounters"))
                .hasToString("[{\"counterSet\":\"0000-3b-00-0\",\"counters\":{\"use\":{\"value\":\"1\"}}}]");
        assertThat(pools(slices)).hasSize(1);
    }

    @Test
    void manyFacesAreInAsManySlicesAsTheServerWants() throws Exception {
        List<JsonObject> slices = published(70, 140);

        assertThat(slices).hasSize(4 + 9);
        assertThat(pools(slices)).hasSize(1);
        assertThat(counterSets(slices)).hasSize(70);
        assertThat(CounterRules.isWhole(slices)).isTrue();
        offer(vfs(64), Set.of(), Set.of());

        assertThat(server.await(all -> names(all).size() == 128 && isComplete(all)))
                .hasSize(2 + 8);
    }

    @Test
    void faceThatNoOtherClassOffersConsumesNothing() throws Exception {
        offer(
                TestSlices.offer(NET, vfs(1), Set.of(), Set.of()),
                TestSlices.offer(DPDK, List.of(vf(1)), Set.of(), Set.of()));
        List<JsonObject> slices = start(all -> names(all).size() == 2 && isComplete(all));

        assertThat(counterSets(slices)).isEmpty();
        assertThat(consumed(slices)).isEmpty();
    }

    @Test
    void scrubKeepsAllFacesFromOthers() throws Exception {
        assertThat(published(1, 2)).isNotEmpty();
        Map<String, Boolean> used = Map.of(vf(0).id(), true);
        offer(
                TestSlices.offer(NET, vfs(1), Set.of(), Set.of(), used),
                TestSlices.offer(DPDK, vfs(1), Set.of(), Set.of(), used));

        assertThat(server.await(slices ->
                        devices(slices).stream().allMatch(one -> one.toString().contains("edgeplug.io/scrubbing"))))
                .hasSize(3);
    }

    @Test
    void serverThatDropsCountersGetsOneFaceAndThatIsTold() throws Exception {
        server.gate(objects -> objects.dropsCounters = true);
        try (LogLines log = LogLines.open()) {
            assertThat(names(published(2, 2))).containsExactly(name(NET, 0), name(NET, 1));
            assertThat(log.await("the API server drops counters of devices")).hasSize(1);
        }
        offer(vfs(2), Set.of(), Set.of(vf(0).id()));

        assertThat(names(server.await(slices -> names(slices).contains(name(DPDK, 0)) && isComplete(slices))))
                .containsExactly(name(NET, 1), name(DPDK, 0));
        offer(vfs(2), Set.of(), Set.of());
        assertThat(names(server.await(slices -> names(slices).contains(name(NET, 0)) && isComplete(slices))))
                .containsExactly(name(NET, 0), name(NET, 1));
    }

    /** Otherwise a scheduler would give both faces to two claims. */
    @Test
    void serverThatDropsCountersIsGivenNoSliceThatNeedsThemOnceThatIsSeen() throws Exception {
        server.gate(objects -> objects.dropsCounters = true);

        assertThat(published(70, 70)).hasSize(2);
        assertThat(count("POST")).isEqualTo(2);
    }

    @Test
    void serverThatRefusesCountersGetsOneFaceToo() throws Exception {
        server.gate(objects -> objects.refusesCounters = true);
        try (LogLines log = LogLines.open()) {
            assertThat(names(published(2, 2))).containsExactly(name(NET, 0), name(NET, 1));
            assertThat(log.await("the API server refuses counters of devices")).hasSize(1);
        }
    }
}
