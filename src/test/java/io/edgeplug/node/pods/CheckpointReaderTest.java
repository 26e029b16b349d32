package io.edgeplug.node.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.edgeplug.PackageJvm;
import io.edgeplug.api.kubelet.TestDaemon;
import io.edgeplug.model.device.Device;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A checkpoint of any form and size: what is read of it, and within which limits. */
@Timeout(120)
final class CheckpointReaderTest {

    @TempDir
    private Path directory = Path.of("");

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

        assertThat(HeldDevices.read(directory).all(HeldDevicesTest.vf(directory)))
                .containsExactly(new HeldDevices.Holding("uid", "main", "example.com/x", TestDaemon.VF0.toString()));
    }

    /** Reads a checkpoint, and prints whether a device is held, or what is wrong. */
    static final class Reader {

        private Reader() {}

        public static void main(String[] args) throws Exception {
            Device device = HeldDevicesTest.file(args[1]);
            try {
                System.out.println(
                        !HeldDevices.read(Path.of(args[0])).all(device).isEmpty());
            } catch (IOException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    private String readInTheDaemonsHeap() throws Exception {
        PackageJvm.End end = PackageJvm.run(Reader.class, directory.toString(), "g1");
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

    /** Each device of a holder tells its name. */
    @ParameterizedTest
    @ValueSource(strings = {"PodUID", "ContainerName"})
    void nameThatIsLongerThanAnyOfKubernetesIsRefused(String field) throws Exception {
        String entry = entry("main", "\"g1\"");
        write(Stream.of(entry.replace("\"" + field + "\":\"main\"", "\"" + field + "\":\"" + "x".repeat(253) + "\"")));
        assertThat(HeldDevices.read(directory).all(any -> true)).hasSize(1);

        write(Stream.of(entry.replace("\"" + field + "\":\"main\"", "\"" + field + "\":\"" + "x".repeat(254) + "\"")));
        assertThatIOException()
                .isThrownBy(() -> HeldDevices.read(directory))
                .withMessage(directory.resolve(HeldDevices.FILE)
                        + ": has a name of a pod or container of more than 253 characters");
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
    void linkIntoAFileSystemThatMayNotAnswerIsNotFollowed() throws IOException {
        Path file = Files.createSymbolicLink(directory.resolve(HeldDevices.FILE), Path.of("/proc/self/status"));

        assertThatIOException()
                .isThrownBy(() -> HeldDevices.read(directory))
                .withMessage(file + ": is a link to /proc, a file system that may not answer");
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
