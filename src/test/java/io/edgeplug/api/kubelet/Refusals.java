package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.RefusalStage.DPU;
import static io.edgeplug.api.kubelet.RefusalStage.FILE;
import static io.edgeplug.api.kubelet.RefusalStage.MADE;
import static io.edgeplug.api.kubelet.RefusalStage.PAIR;
import static io.edgeplug.api.kubelet.RefusalStage.SHARED;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static io.edgeplug.node.supply.SupplyNode.A;
import static io.edgeplug.node.supply.SupplyNode.B;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Each refusal of a kubelet's request, with its sentence. */
final class Refusals {

    private Refusals() {}

    static Stream<Refusal> all() {
        return Stream.of(names(), devicesThatAreGone(), unhealthyFunctions(), files(), handOver(), requests())
                .flatMap(refusals -> refusals);
    }

    private static Stream<Refusal> names() {
        return Stream.of(
                new Refusal(
                        "unknown ID",
                        stage -> stage.allocate(DPU, "0000:43:00.7"),
                        "Device 0000:43:00.7 of example.com/dpu is not on this node"),
                new Refusal(
                        "empty ID",
                        stage -> stage.allocate(DPU, ""),
                        "Device \"\" of example.com/dpu is not on this node"),
                new Refusal(
                        "too long a name",
                        stage -> stage.allocate(DPU, "x".repeat(5000)),
                        "Device " + "x".repeat(128) + "… of example.com/dpu is not on this node"),
                new Refusal(
                        "name with a line break",
                        stage -> stage.allocate(DPU, "x\ny"),
                        "Device x?y of example.com/dpu is not on this node"),
                new Refusal(
                        "ID of another resource",
                        stage -> stage.allocate(DPU, "f1"),
                        "Device f1 is a device of example.com/file, and not of example.com/dpu"),
                new Refusal(
                        "device of no class",
                        stage -> stage.allocate(DPU, "0000:42:00.0"),
                        "Device 0000:42:00.0 is on this node, and no longer a device of example.com/dpu"));
    }

    private static Stream<Refusal> devicesThatAreGone() {
        return Stream.of(
                new Refusal(
                        "class reloaded away while the call arrives",
                        stage -> {
                            stage.monitor.use(List.of());
                            stage.allocate(DPU, A);
                        },
                        "Device 0000:43:00.0 is on this node, and no longer a device of example.com/dpu"),
                new Refusal(
                        "file reloaded away while the call arrives",
                        stage -> {
                            stage.monitor.use(List.of());
                            stage.allocate(FILE, "f1");
                        },
                        "Device f1 of example.com/file is not on this node"),
                new Refusal(
                        "vanished",
                        stage -> {
                            stage.pull(A);
                            stage.monitor.inventories().awaitNewerThan(1);
                            stage.allocate(DPU, A);
                        },
                        "Device 0000:43:00.0 of example.com/dpu is not on this node"),
                new Refusal(
                        "vanished while a container has it",
                        stage -> {
                            stage.allocate(DPU, A);
                            stage.pull(A);
                            stage.awaitUnhealthy(DPU, A, "is gone");
                            stage.allocate(DPU, A);
                        },
                        "Device 0000:43:00.0 of example.com/dpu is unhealthy: it is gone, and a container may hold it"));
    }

    private static Stream<Refusal> unhealthyFunctions() {
        return Stream.of(
                new Refusal(
                        "unhealthy",
                        stage -> {
                            byte[] ones = new byte[256];
                            Arrays.fill(ones, (byte) 0xff);
                            Files.write(stage.path("sys/bus/pci/devices/" + A + "/config"), ones);
                            stage.lookAgain(A);
                            stage.allocate(DPU, A);
                        },
                        "Device 0000:43:00.0 of example.com/dpu is unhealthy: "
                                + "it does not answer on PCI: its configuration space reads all ones"),
                new Refusal(
                        "unhealthy, for it cannot be read",
                        stage -> {
                            Path vendor = stage.path("sys/bus/pci/devices/" + A + "/vendor");
                            Files.delete(vendor);
                            Files.createDirectory(vendor);
                            stage.lookAgain(A);
                            stage.allocate(DPU, A);
                        },
                        "Device 0000:43:00.0 of example.com/dpu is unhealthy: "
                                + "edgeplug cannot read vendor: Is a directory"));
    }

    private static Stream<Refusal> files() {
        return Stream.of(
                new Refusal(
                        "file missing",
                        stage -> {
                            Files.delete(stage.path("etc/files/f1"));
                            stage.monitor.inventories().awaitNewerThan(1);
                            stage.allocate(FILE, "f1");
                        },
                        "Device f1 of example.com/file is not on this node"),
                new Refusal(
                        "file became a directory",
                        stage -> {
                            Files.delete(stage.path("etc/files/f1"));
                            Files.createDirectory(stage.path("etc/files/f1"));
                            stage.awaitUnhealthy(FILE, "f1", "is a directory now");
                            stage.allocate(FILE, "f1");
                        },
                        "Device f1 of example.com/file is unhealthy: /etc/files/f1 is a directory now and was a file"),
                new Refusal(
                        "was a directory from the start",
                        stage -> stage.allocate(FILE, "d1"),
                        "Device d1 of example.com/file is unhealthy: /etc/files/d1 is a directory, "
                                + "and only a path that ends with / names directories"),
                new Refusal(
                        "link that leads nowhere",
                        stage -> stage.allocate(FILE, "l1"),
                        "Device l1 of example.com/file is unhealthy: /etc/files/l1 is a link that leads nowhere"),
                new Refusal(
                        "mount missing",
                        stage -> {
                            Files.delete(stage.path("srv/f1"));
                            stage.allocate(FILE, "f1");
                        },
                        "Device f1 of example.com/file is unhealthy: its mount /srv/f1 is not there"),
                new Refusal(
                        "part of a group missing",
                        stage -> {
                            Files.delete(stage.path("etc/one/map"));
                            stage.lookAgain("files");
                            stage.allocate(PAIR, "left");
                        },
                        "Device left of example.com/pair is unhealthy: it lacks /etc/one/map of its group"));
    }

    private static Stream<Refusal> handOver() {
        return Stream.of(
                new Refusal(
                        "node missing",
                        stage -> {
                            Files.delete(stage.path("dev/vfio/17"));
                            stage.allocate(DPU, A);
                        },
                        "Device 0000:43:00.0 of example.com/dpu is unhealthy: its node /dev/vfio/17 is not there"),
                new Refusal(
                        "node became a file",
                        stage -> {
                            stage.make("dev/17", "echo writes this where a node is gone");
                            Files.move(stage.path("dev/17"), stage.path("dev/vfio/17"), StandardCopyOption.ATOMIC_MOVE);
                            stage.allocate(DPU, A);
                        },
                        "Device 0000:43:00.0 of example.com/dpu is unhealthy: its node /dev/vfio/17 is a file"),
                new Refusal(
                        "mate of its IOMMU group",
                        stage -> {
                            Path driver = stage.path("sys/bus/pci/devices/" + B + "/driver");
                            Files.delete(driver);
                            Files.createSymbolicLink(driver, Path.of("../../../../bus/pci/drivers/mlx5_core"));
                            stage.lookAgain(B);
                            stage.resource(DPU).supply().look(PATIENCE);
                            stage.allocate(DPU, A);
                        },
                        "Device 0000:43:00.0 of example.com/dpu is unhealthy: "
                                + "its IOMMU group 17 cannot be handed out: 0000:43:00.1 is bound to mlx5_core"),
                new Refusal(
                        "CDI specification changed",
                        stage -> stage.allocateSpoilt(stage.specification(), DPU, A),
                        "Device 0000:43:00.0 of example.com/dpu is unhealthy: "
                                + "its CDI specification was changed or removed by somebody else"),
                new Refusal(
                        "CDI specification not writable",
                        stage -> {
                            Files.delete(stage.specification());
                            Files.createDirectory(stage.specification());
                            stage.resource(DPU).supply().look(PATIENCE);
                            stage.allocate(DPU, A);
                        },
                        "Device 0000:43:00.0 of example.com/dpu is unhealthy: "
                                + "edgeplug cannot write DIRECTORY/cdi/edgeplug_example.com_dpu.json: is a directory"),
                new Refusal(
                        "device-information file not writable",
                        stage -> {
                            Path file = stage.deviceInfo().resolve("example.com-dpu-" + A + "-device.json");
                            Files.delete(file);
                            Files.createDirectory(file);
                            stage.resource(DPU).supply().look(PATIENCE);
                            stage.allocate(DPU, A);
                        },
                        "Device 0000:43:00.0 of example.com/dpu is unhealthy: edgeplug cannot write "
                                + "DIRECTORY/devinfo/example.com-dpu-0000:43:00.0-device.json: is a directory"),
                new Refusal(
                        "CDI name taken",
                        stage -> {
                            Files.writeString(
                                    stage.cdi().resolve("other.json"),
                                    "{\"cdiVersion\": \"0.5.0\", \"kind\": \"example.com/dpu\", "
                                            + "\"devices\": [{\"name\": \"" + A + "\", \"containerEdits\": {}}]}");
                            stage.resource(DPU).supply().look(PATIENCE);
                            stage.allocate(DPU, A);
                        },
                        "Device 0000:43:00.0 of example.com/dpu is unhealthy: its CDI device "
                                + "example.com/dpu=0000:43:00.0 is also in DIRECTORY/cdi/other.json, "
                                + "which is not edgeplug's"));
    }

    private static Stream<Refusal> requests() {
        return Stream.of(
                new Refusal(
                        "twice the same",
                        stage -> stage.allocate(DPU, A, A),
                        "Device 0000:43:00.0 of example.com/dpu was asked for twice"),
                new Refusal("none asked", stage -> stage.allocate(DPU), "No device of example.com/dpu was asked for"),
                new Refusal(
                        "more shares than allowed",
                        stage -> stage.allocate(SHARED, "s1::0", "s1::1", "s1::2"),
                        "A container may ask for one device of example.com/shared, and asked for 3 "
                                + "(s1::0, s1::1 and 1 more): they are shared, and a second share gives it nothing more"),
                new Refusal(
                        "share that there is not",
                        stage -> stage.allocate(SHARED, "s1::3"),
                        "Device s1::3 of example.com/shared is not on this node"),
                new Refusal(
                        "two that do not fit into one container",
                        stage -> stage.allocate(PAIR, "left", "right"),
                        "Devices of example.com/pair cannot be given to one container (left, right): "
                                + "in it two different files would be /pair/map"),
                new Refusal(
                        "preparation of an unknown device",
                        stage -> stage.prepare(MADE, "m9"),
                        "Device m9 of example.com/made is not on this node"),
                new Refusal(
                        "preparation that fails",
                        stage -> stage.prepare(MADE, "m1"),
                        "Device m1 could not be prepared: command: /bin/sh: exit status 3: no bitstream."));
    }
}
