package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.TestSlices.devices;
import static io.edgeplug.api.dra.TestSlices.names;
import static io.edgeplug.api.dra.TestSlices.pools;
import static io.edgeplug.api.dra.TestSlices.taints;
import static io.edgeplug.api.dra.TestSlices.vf;
import static io.edgeplug.api.dra.TestSlices.vfs;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When the cluster is told of the node's devices, and what it is told. */
@Timeout(60)
final class SlicePublisherTest extends OnApiServer {

    private static List<String> namesOf(List<Device> devices) {
        return devices.stream().map(one -> DeviceNames.of(one.id())).toList();
    }

    @Test
    void sliceBelongsToTheNodeAndTellsOfItsDevices() throws Exception {
        JsonObject slice = published(vfs(1)).getFirst();

        JsonObject owner = Json.object(slice, "metadata")
                .getAsJsonArray("ownerReferences")
                .get(0)
                .getAsJsonObject();
        assertThat(Json.text(owner, "uid")).isEqualTo("uid-of-node1");
        assertThat(Json.object(slice, "spec").get("pool"))
                .hasToString("{\"name\":\"node1\",\"generation\":1,\"resourceSliceCount\":1}");
        JsonObject device = devices(List.of(slice)).getFirst();
        assertThat(Json.text(device, "name")).isEqualTo("0000-3b-00-0");
        assertThat(Json.object(device, "attributes").asMap())
                .containsEntry("resource.kubernetes.io/pciBusID", json("string", "0000:3b:00.0"))
                .containsEntry("resource.kubernetes.io/pcieRoot", json("string", "pci0000:3a"))
                .containsEntry("k8s.cni.cncf.io/deviceID", json("string", "0000:3b:00.0"))
                .containsEntry("k8s.cni.cncf.io/resourceName", json("string", "example.com/vf"))
                .containsEntry("resource", json("string", "example.com/vf"))
                .containsEntry("pf", json("string", "ens1f0"))
                .containsEntry("vendor", json("string", "8086"))
                .containsKeys("resource.kubernetes.io/numaNode", "vf", "kind", "rdma");
    }

    private static JsonObject json(String name, String value) {
        JsonObject json = new JsonObject();
        json.addProperty(name, value);
        return json;
    }

    @Test
    void nothingIsPublishedBeforeTheKubeletHasTakenUpTheDriver() throws Exception {
        offer(vfs(1));
        publisher.start();
        publisher.wake();
        assertThat(server.requests()).isEmpty();
        publisher.want();

        assertThat(server.await(slices -> !slices.isEmpty())).hasSize(1);
    }

    @Test
    void nodeWithoutDevicesHasOneEmptySlice() throws Exception {
        assertThat(names(start(slices -> slices.size() == 1))).isEmpty();
    }

    @Test
    void manyDevicesAreInSeveralSlicesOfOnePoolInTheirOrder() throws Exception {
        List<JsonObject> slices = published(vfs(150));

        assertThat(slices).hasSize(3);
        assertThat(pools(slices)).hasSize(1);
        assertThat(names(slices)).isEqualTo(namesOf(vfs(150)));
    }

    @Test
    void deviceThatBreaksChangesOneSliceOnlyAndNotTheGeneration() throws Exception {
        List<Device> devices = new ArrayList<>(vfs(150));
        List<JsonObject> before = published(devices);
        long written = count("PUT");
        devices.set(70, devices.get(70).withHealth(Health.unhealthy("does not answer")));
        offer(devices);

        assertThat(pools(server.await(taints("NoSchedule")))).isEqualTo(pools(before));
        assertThat(count("PUT")).isEqualTo(written + 1);
    }

    @Test
    void deviceThatGoesChangesOneSliceOnlyAndSoDoesItsReturn() throws Exception {
        List<JsonObject> before = published(vfs(150));
        List<Device> others = new ArrayList<>(vfs(150));
        long written = count("PUT");
        for (int gone : List.of(70, 0, 148)) {
            Device removed = others.remove(gone);
            offer(others);
            assertThat(pools(server.await(slices -> names(slices).equals(namesOf(others)))))
                    .isEqualTo(pools(before));
            others.add(gone, removed);
            offer(others);
            assertThat(server.await(slices -> names(slices).equals(namesOf(others))))
                    .hasSize(3);
        }

        assertThat(count("PUT")).isEqualTo(written + 6);
    }

    @Test
    void deviceThatNoSliceHasRoomForMovesTheOthersInTheirOrder() throws Exception {
        List<Device> devices = new ArrayList<>(vfs(151));
        Device first = devices.removeFirst();
        List<JsonObject> before = published(devices);
        devices.addFirst(first);
        offer(devices);
        List<JsonObject> after = server.await(slices ->
                names(slices).equals(namesOf(devices)) && pools(slices).size() == 1);

        assertThat(pools(after)).doesNotContainAnyElementsOf(pools(before));
        assertThat(after).hasSize(3);
    }

    @Test
    void sliceWhoseLastDeviceGoesIsDeleted() throws Exception {
        assertThat(published(vfs(129))).hasSize(3);
        List<Device> devices = new ArrayList<>(vfs(128));
        offer(devices);
        assertThat(names(server.await(slices -> slices.size() == 2))).isEqualTo(namesOf(devices));
        devices.subList(0, 64).clear();
        offer(devices);

        assertThat(names(server.await(slices -> slices.size() == 1))).isEqualTo(namesOf(devices));
    }

    @Test
    void severalSlicesThatChangeAreANewGenerationOfAll() throws Exception {
        List<JsonObject> before = published(vfs(150));
        List<Device> others = new ArrayList<>(vfs(150));
        others.remove(100);
        others.remove(10);
        offer(others);
        List<JsonObject> after = server.await(
                slices -> names(slices).size() == 148 && pools(slices).size() == 1);

        assertThat(pools(after)).doesNotContainAnyElementsOf(pools(before));
        assertThat(after).hasSize(3);
    }

    @Test
    void surplusSlicesAreDeletedOnceTheOthersAreWritten() throws Exception {
        assertThat(published(vfs(150))).hasSize(3);
        offer(vfs(10));

        List<JsonObject> after = server.await(slices -> slices.size() == 1);
        assertThat(names(after)).hasSize(10);
        assertThat(pools(after).getFirst()).contains("\"resourceSliceCount\":1");
    }

    @Test
    void slicesOfAnEarlierRunAreTakenOverAlsoWithGaps() throws Exception {
        assertThat(published(vfs(100))).hasSize(2);
        offer(vfs(100).subList(1, 100));
        List<JsonObject> before = server.await(slices -> names(slices).size() == 99);
        publisher.close();
        ApiServer api = closing.add(new ApiServer(directory.resolve("kubelet.conf"), "node1"));
        long posted = count("POST");
        long put = count("PUT");
        SlicePublisher next = publisher(api);
        next.start();
        next.want();
        next.awaitPublished(java.time.Duration.ofSeconds(20));

        assertThat(server.slices()).isEqualTo(before);
        assertThat(count("POST")).isEqualTo(posted);
        assertThat(count("PUT")).isEqualTo(put);
    }

    @Test
    void claimedDeviceThatBreaksEvictsItsPodIfTheClassSaysSo() throws Exception {
        Device broken = vf(0).withHealth(Health.GONE);
        assertThat(published(List.of(vf(0), vf(1)))).hasSize(1);
        offer(TestSlices.offer(vfs(true), List.of(broken, vf(1)), Set.of(broken.id()), Set.of()));

        assertThat(names(server.await(taints("NoExecute")))).hasSize(2);
    }

    @Test
    void deviceThatAPodHasFromTheDevicePluginIsKeptFromOthers() throws Exception {
        assertThat(published(List.of(vf(0)))).hasSize(1);
        offer(TestSlices.offer(vfs(false), List.of(vf(0)), Set.of(), Set.of(vf(0).id())));

        assertThat(devices(server.await(taints("NoSchedule"))).getFirst().toString())
                .contains("edgeplug.io/held");
    }

    @Test
    void serverThatDropsTaintsGetsOnlyHealthyDevices() throws Exception {
        server.gate(objects -> objects.dropsTaints = true);
        assertThat(published(vfs(3))).hasSize(1);
        Device broken = vf(0).withHealth(Health.unhealthy("does not answer"));
        offer(List.of(broken, vf(1), vf(2)));

        assertThat(names(server.await(slices -> names(slices).size() == 2))).doesNotContain("0000-3b-00-0");
    }
}
