package io.edgeplug.node.supply;

import static io.edgeplug.node.supply.SupplyNode.A;
import static io.edgeplug.node.supply.SupplyNode.B;
import static io.edgeplug.node.supply.SupplyNode.SPEC;
import static io.edgeplug.node.supply.SupplyNode.isHealthy;
import static io.edgeplug.node.supply.SupplyNode.names;
import static io.edgeplug.node.supply.SupplyNode.problem;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Mounted;
import io.edgeplug.api.kubelet.Seen;
import io.edgeplug.system.files.NeedsRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What stands in the way of the files that containers need, and what an earlier run has left of them. */
@Timeout(60)
final class SupplyFilesTest extends SupplyFiles {

    @Test
    void directoryInPlaceOfTheSpecificationIsToldAndLeftAlone() throws Exception {
        Files.createDirectories(cdi().resolve(SPEC).resolve("something"));
        SupplyNode running = new SupplyNode(closing, directory);

        assertThat(problem(running.supply.current(), A))
                .isEqualTo("cannot write " + cdi().resolve(SPEC) + ": is a directory");
        assertThat(Files.isDirectory(cdi().resolve(SPEC).resolve("something"))).isTrue();
        assertThat(running.refusal(A)).contains("is a directory");

        Files.delete(cdi().resolve(SPEC).resolve("something"));
        Files.delete(cdi().resolve(SPEC));
        running.await(stock -> isHealthy(stock, A));
    }

    @Test
    void linkInPlaceOfTheSpecificationIsReplacedAndNotFollowed() throws Exception {
        Path victim = Files.writeString(directory.resolve("victim"), "precious");
        Files.createDirectories(cdi());
        Files.createSymbolicLink(cdi().resolve(SPEC), victim);
        Files.createDirectories(deviceInfo());
        Files.createSymbolicLink(deviceInfo().resolve("example.com-dpu-" + A + "-device.json"), victim);

        SupplyNode running = new SupplyNode(closing, directory);

        assertThat(isHealthy(running.supply.current(), A)).isTrue();
        assertThat(victim).hasContent("precious");
        assertThat(Files.isRegularFile(cdi().resolve(SPEC), LinkOption.NOFOLLOW_LINKS))
                .isTrue();
    }

    @Test
    void fileOfAnotherWithOneOfOurNamesSpoilsThatDeviceOnly() throws Exception {
        Files.createDirectories(cdi());
        Path json = Files.writeString(
                cdi().resolve("other.json"),
                "{\"cdiVersion\":\"0.5.0\",\"kind\":\"example.com/dpu\",\"devices\":[{\"name\":\"" + A + "\"}]}");
        Files.writeString(cdi().resolve("broken.json"), "{\"kind\":\"example.com/dpu\",");
        SupplyNode running = new SupplyNode(closing, directory);

        assertThat(problem(running.supply.current(), A))
                .isEqualTo("its CDI device example.com/dpu=" + A + " is also in " + json + ", which is not edgeplug's");
        assertThat(isHealthy(running.supply.current(), B)).isTrue();
        assertThat(Files.readString(cdi().resolve(SPEC))).contains(B).doesNotContain("\"" + A + "\"");

        Files.delete(json);
        Files.writeString(cdi().resolve("o.yaml"), "kind: example.com/dpu\ndevices:\n  - name: \"" + B + "\"\n");
        running.await(stock -> isHealthy(stock, A) && !isHealthy(stock, B));
    }

    @Test
    void filesOfAnEarlierRunGoAndThoseOfOthersStay() throws Exception {
        Files.createDirectories(cdi());
        Files.createDirectories(deviceInfo());
        for (String name : List.of("edgeplug_example.com_old.json", "nvidia.json", "sriov-dp-x.yaml")) {
            Files.writeString(cdi().resolve(name), "{}");
        }
        Files.writeString(cdi().resolve(".edgeplug_0_1"), "{");
        for (String name : List.of("dpu-0000:01:00.0", "dpu-big-0000:01:00.0", "other-0000:01:00.0")) {
            Files.writeString(deviceInfo().resolve("example.com-" + name + "-device.json"), "{}");
        }
        Files.writeString(directory.resolve("edgeplug.toml"), SupplyNode.CLASSES);
        SupplyNode running = new SupplyNode(closing, directory);

        Supplies supplies = closing.add(new Supplies(
                running.node.sysfs(),
                SupplyNode.directories(directory),
                running.monitor,
                List.of(running.supply.deviceClass())));

        assertThat(supplies.each()).hasSize(1);
        assertThat(names(cdi())).containsExactly(SPEC, "nvidia.json", "sriov-dp-x.yaml");
        assertThat(names(deviceInfo()))
                .containsExactly(
                        "example.com-dpu-" + A + "-device.json",
                        "example.com-dpu-" + B + "-device.json",
                        "example.com-dpu-big-0000:01:00.0-device.json",
                        "example.com-other-0000:01:00.0-device.json");
    }

    @Test
    @NeedsRoot("mounts a file system")
    void fullDiskMakesDevicesUnhealthyUntilThereIsRoom() throws Exception {
        try (Mounted disk = Mounted.open("tmpfs", cdi())) {
            disk.remount("size=8k");
            Files.write(cdi().resolve("full"), new byte[8192]);
            SupplyNode running = new SupplyNode(closing, directory);

            assertThat(problem(running.supply.current(), A))
                    .isEqualTo("cannot write " + cdi().resolve(SPEC) + ": No space left on device");
            assertThat(running.refusal(A)).contains("No space left on device");
            // While the watch of files tries again, its unfinished file is there for a moment.
            Seen.untilSo("no unfinished file stays", () -> inSpecifications().equals(List.of("full")));

            Files.delete(cdi().resolve("full"));
            running.await(stock -> isHealthy(stock, A));
            running.supply.close();
        }
    }

    @Test
    @NeedsRoot("mounts a file system")
    void readOnlyDirectoryMakesDevicesUnhealthyUntilItCanBeWritten() throws Exception {
        try (Mounted disk = Mounted.open("tmpfs", deviceInfo())) {
            disk.remount("ro");
            SupplyNode running = new SupplyNode(closing, directory);

            assertThat(problem(running.supply.current(), A))
                    .isEqualTo("cannot write " + deviceInfo().resolve("example.com-dpu-" + A + "-device.json")
                            + ": Read-only file system");

            disk.remount("rw");
            running.await(stock -> isHealthy(stock, A));
            running.supply.close();
        }
    }

    private List<String> inSpecifications() {
        try {
            return names(cdi());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
