package io.edgeplug.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.edgeplug.SmallHeap;
import io.edgeplug.device.Device;
import io.edgeplug.device.Health;
import io.edgeplug.device.PathDevice;
import io.edgeplug.kubelet.TestDaemon;
import io.edgeplug.linux.Destination;
import io.edgeplug.linux.FileKind;
import io.edgeplug.localkubelet.LocalKubelet;
import io.edgeplug.localkubelet.PodSpec;
import io.edgeplug.scan.DeviceScan;
import io.edgeplug.simulation.DemoNode;
import io.edgeplug.simulation.SimulatedNode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the kubelet's checkpoint tells of who holds what, and what it does not tell. */
@Timeout(120)
final class HeldDevicesTest {

    @TempDir
    private Path directory = Path.of("");

    private HeldDevices held(String ids) throws IOException {
        Files.writeString(directory.resolve(HeldDevices.FILE), """
                {"Data":{"PodDeviceEntries":[{"PodUID":"uid","ContainerName":"main","ResourceName":"example.com/x",
                "DeviceIDs":%s,"AllocResp":""}],"RegisteredDevices":{}},"Checksum":1}
                """.formatted(ids));
        return HeldDevices.read(directory);
    }

    private Device vf() throws IOException {
        try (SimulatedNode node = SimulatedNode.unpack(DemoNode.tree(), directory.resolve("tree"))) {
            return new DeviceScan(node.sysfs()).function(TestDaemon.VF0).getFirst();
        }
    }

    private static Device file(String id) {
        return new PathDevice(
                id,
                List.of(new PathDevice.File(
                        "/etc/" + id, Optional.of(new Destination("/etc/" + id, FileKind.FILE, 0, 0, List.of())))),
                Optional.empty(),
                Health.HEALTHY);
    }

    /** The name of each USB adapter begins alike. */
    @Test
    void claimHoldsADeviceBesideThoseThatPodsHoldAfterAnotherPodHasEnded() throws IOException {
        Files.writeString(directory.resolve(HeldDevices.FILE), """
                {"Data":{"PodDeviceEntries":[
                {"PodUID":"one","ContainerName":"main","ResourceName":"example.com/x","DeviceIDs":["usb-a","usb-b"]},
                {"PodUID":"ended","ContainerName":"main","ResourceName":"example.com/x","DeviceIDs":["usb-c"]}
                ],"RegisteredDevices":{}},"Checksum":1}
                """);
        HeldDevices held = HeldDevices.read(directory);
        held.forget(Set.of("ended"));

        held.with(List.of(new HeldDevices.Holding("two", "claim c", "example.com/y", "usb-d", Optional.of("c"))));

        assertThat(held.all(resource -> true).map(HeldDevices.Holding::id))
                .containsExactlyInAnyOrder("usb-a", "usb-b", "usb-d");
    }

    @Test
    void deviceIsHeldFromItsAllocationUntilItsPodIsGone() throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, event -> {});
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            kubelet.await(TestDaemon.NODE0, state -> state.allocatable() == 2, TestDaemon.PATIENCE);
            Device device = daemon.monitor
                    .current()
                    .device(TestDaemon.NODE0, TestDaemon.VF0.toString())
                    .orElseThrow();
            assertThat(HeldDevices.read(kubeletDir).of(device)).isEmpty();

            kubelet.admit(PodSpec.of("pod", TestDaemon.NODE0, 2));
            assertThat(HeldDevices.read(kubeletDir).of(device))
                    .contains(new HeldDevices.Holding(
                            "pod", "main", TestDaemon.NODE0.toString(), TestDaemon.VF0.toString()));

            kubelet.remove("pod");
            assertThat(HeldDevices.read(kubeletDir).of(device)).isEmpty();
        }
    }

    @Test
    void kubeletsBeforeNumaNodesWroteALists() throws IOException {
        assertThat(held("[\"a\",\"" + TestDaemon.VF0 + "\"]").of(vf())).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0000:3b:01.0", "0000:3b:01.0::2", "0000:3b:01.0-region1", "0000:3b:01.0-region1::0"})
    void deviceIsHeldWithAShareOrAPartOfIt(String id) throws IOException {
        assertThat(held("{\"0\":[\"" + id + "\"]}").of(vf())).isPresent();
    }

    @Test
    void functionIsHeldAsLongAsAnyPodHoldsAPartOfIt() throws IOException {
        Files.writeString(directory.resolve(HeldDevices.FILE), """
                {"Data":{"PodDeviceEntries":[
                {"PodUID":"first","ContainerName":"main","ResourceName":"example.com/x",
                "DeviceIDs":{"0":["0000:3b:01.0-region0"]},"AllocResp":""},
                {"PodUID":"second","ContainerName":"main","ResourceName":"example.com/x",
                "DeviceIDs":{"0":["0000:3b:01.0-region1"]},"AllocResp":""}],"RegisteredDevices":{}},"Checksum":1}
                """);
        HeldDevices held = HeldDevices.read(directory);
        Device vf = vf();

        assertThat(held.all(vf)).extracting(HeldDevices.Holding::pod).containsExactly("first", "second");
        assertThat(held.of(vf, holding -> !holding.pod().equals("first")))
                .map(HeldDevices.Holding::pod)
                .contains("second");
        held.forget(Set.of("first"));
        assertThat(held.of(vf)).map(HeldDevices.Holding::pod).contains("second");
        held.forget(Set.of("second"));
        assertThat(held.of(vf)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0000:3b:01.1", "0000:3b:01", "0000:3b:01.00", "g1", ""})
    void othersAreOthers(String id) throws IOException {
        assertThat(held("{\"-1\":[\"" + id + "\"]}").of(vf())).isEmpty();
    }

    @Test
    void filesAreHeldByTheirNames() throws IOException {
        assertThat(held("{\"-1\":[\"g1::0\"]}").of(file("g1"))).isPresent();
        assertThat(held("{\"-1\":[\"g1-2\"]}").of(file("g1"))).isEmpty();
    }

    @Test
    void kubeletThatGaveNothingHasNullForNothing() throws IOException {
        Files.writeString(
                directory.resolve(HeldDevices.FILE),
                "{\"Data\":{\"PodDeviceEntries\":null,\"RegisteredDevices\":{}},\"Checksum\":1}");

        assertThat(HeldDevices.read(directory).of(vf())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "[1]",
                "{\"Data\":",
                "{\"Data\":{}}",
                "{\"Data\":{\"PodDeviceEntries\":[{}]}}",
                "{\"Data\":{\"PodDeviceEntries\":[{\"DeviceIDs\":[null]}]}}",
                "{\"Data\":{\"PodDeviceEntries\":{}}}",
                "{\"Data\":{\"PodDeviceEntries\":7}}"
            })
    void whatIsNoCheckpointTellsNothing(String content) throws IOException {
        Path file = Files.writeString(directory.resolve(HeldDevices.FILE), content);

        assertThatIOException()
                .isThrownBy(() -> HeldDevices.read(directory))
                .withMessage(file + ": is not as a kubelet writes it");
    }

    @Test
    void answersOfPluginsAreNotReadHoweverLargeTheyAre() throws IOException {
        String large = "A".repeat(1 << 20);
        Files.writeString(directory.resolve(HeldDevices.FILE), """
                {"Checksum":1,"Data":{"RegisteredDevices":{"example.com/x":["%s"]},"PodDeviceEntries":[
                {"AllocResp":"%s","DeviceIDs":{"0":["a"],"1":["%s"]},"ResourceName":"example.com/x","PodUID":"uid",
                "ContainerName":"main"}]}}
                """.formatted(large, large, TestDaemon.VF0));

        assertThat(HeldDevices.read(directory).of(vf()))
                .contains(new HeldDevices.Holding("uid", "main", "example.com/x", TestDaemon.VF0.toString()));
    }

    /** Reads a checkpoint, and prints whether a device is held, or what is wrong. */
    static final class Reader {

        private Reader() {}

        public static void main(String[] args) throws Exception {
            Device device = file(args[1]);
            try {
                System.out.println(HeldDevices.read(Path.of(args[0])).of(device).isPresent());
            } catch (IOException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    private String readInTheDaemonsHeap() throws Exception {
        SmallHeap.End end = SmallHeap.run(Reader.class, directory.toString(), "g1");
        assertThat(end.exit()).as(end.output()).isZero();
        return end.output().strip();
    }

    private static String entry(String pod, String ids) {
        return "{\"PodUID\":\"" + pod + "\",\"ContainerName\":\"main\",\"ResourceName\":\"example.com/x\","
                + "\"DeviceIDs\":{\"0\":[" + ids + "]},\"AllocResp\":\"\"}";
    }

    private void write(Stream<String> entries) throws IOException {
        Files.writeString(
                directory.resolve(HeldDevices.FILE),
                entries.collect(Collectors.joining(
                        ",", "{\"Data\":{\"PodDeviceEntries\":[", "],\"RegisteredDevices\":{}},\"Checksum\":1}")));
    }

    @Test
    void wordsOfAnyLengthAreNotKept() throws Exception {
        String large = "x".repeat(60 << 20);
        String tooLong = directory.resolve(HeldDevices.FILE) + ": has a name or a string of more than 4096 characters";

        write(Stream.of(entry(large, "\"g1\"")));
        assertThat(readInTheDaemonsHeap()).isEqualTo(tooLong);
        write(Stream.of(entry("uid", "\"" + large + "\"")));
        assertThat(readInTheDaemonsHeap()).isEqualTo(tooLong);
        write(Stream.of("{\"" + large + "\":1}"));
        assertThat(readInTheDaemonsHeap()).isEqualTo(tooLong);
    }

    @Test
    void idsThatCanBeNoneOfOursAreNotKept() throws Exception {
        String others = IntStream.range(0, 49_999)
                .mapToObj(number -> "\"%0600d\"".formatted(number))
                .collect(Collectors.joining(","));
        write(Stream.of(entry("uid", others), entry("uid", "\"g1\"")));

        assertThat(readInTheDaemonsHeap()).isEqualTo("true");
    }

    @Test
    void holdersOfALargeNodeAreKept() throws Exception {
        write(IntStream.range(0, 10_000)
                .mapToObj(number -> entry("a0e9a7f8-2f7c-4a4f-8a73-%012d".formatted(number), "\"g" + number + "\"")));

        assertThat(readInTheDaemonsHeap()).isEqualTo("true");
    }

    @Test
    void moreHoldersThanFitIntoTheHeapAreToldWithTheLimit() throws Exception {
        String tooMany = directory.resolve(HeldDevices.FILE) + ": lists more devices than fit into 8 MiB";

        write(IntStream.range(0, 500_000).mapToObj(number -> entry("uid" + number, "\"g" + number + "\"")));
        assertThat(readInTheDaemonsHeap()).isEqualTo(tooMany);
        write(Stream.of(entry(
                "uid",
                IntStream.range(0, 500_000).mapToObj(n -> "\"\u4e2d" + n + "\"").collect(Collectors.joining(",")))));
        assertThat(readInTheDaemonsHeap()).isEqualTo(tooMany);
    }

    @Test
    void whatIsNoFileIsNotWaitedFor() throws Exception {
        Path file = directory.resolve(HeldDevices.FILE);
        assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor())
                .isZero();

        assertThat(readInTheDaemonsHeap()).isEqualTo(file + ": is a FIFO, not a file");
    }

    @Test
    void fileThatIsTooLargeIsNotRead() throws IOException {
        Path file = directory.resolve(HeldDevices.FILE);
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(HeldDevices.MAX_BYTES + 1);
        }

        assertThatIOException()
                .isThrownBy(() -> HeldDevices.read(directory))
                .withMessage(file + ": is larger than the 64 MiB that are read of it");
    }

    @Test
    void kubeletThatWroteNothingTellsNothing() {
        assertThatIOException()
                .isThrownBy(() -> HeldDevices.read(directory))
                .withMessage(directory + "/kubelet_internal_checkpoint: no such file");
    }
}
