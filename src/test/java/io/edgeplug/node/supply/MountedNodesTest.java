package io.edgeplug.node.supply;

import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.rules.HandOver;
import io.edgeplug.node.container.Allocation;
import io.edgeplug.node.container.Allocation.Mount;
import io.edgeplug.node.container.Allocation.Node;
import io.edgeplug.node.container.Equipment;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A container cannot open a device node that it has only as part of a mount. */
@Timeout(60)
final class MountedNodesTest {

    private static final String SOUND = """
            [[class]]
            resource = "example.com/snd"
            kind = "path"
            match = { paths = ["/dev/snd/"] }
            """;

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    /** Device nodes of this machine, to which links of the tree lead. */
    private void nodes(String... paths) throws IOException {
        for (String path : paths) {
            Path link = directory.resolve(path);
            Files.createDirectories(link.resolveSibling(""));
            Files.createSymbolicLink(link, Path.of("/dev/null"));
        }
    }

    private Candidate only(String classes) throws Exception {
        Files.createDirectories(directory.resolve("sys"));
        return Candidate.of(
                        Inventory.scan(Sysfs.at(directory), GroupedNode.read(directory, classes)), Sysfs.at(directory))
                .getFirst();
    }

    private Equipment brought(String classes) throws Exception {
        return only(classes).equipment().orElseThrow();
    }

    private static Stream<String> places(Equipment brought) {
        return brought.nodes().stream().map(Node::containerPath);
    }

    @Test
    void directoryStandsForTheNodesInIt() throws Exception {
        nodes("dev/snd/controlC0", "dev/snd/timer", "dev/snd/by-path/card");

        Equipment brought = brought(SOUND);

        assertThat(brought.nodes())
                .containsExactly(
                        new Node("/dev/snd/by-path/card", "/dev/snd/by-path/card", "rw"),
                        new Node("/dev/snd/controlC0", "/dev/snd/controlC0", "rw"),
                        new Node("/dev/snd/timer", "/dev/snd/timer", "rw"));
        assertThat(brought.mounts()).isEmpty();
        assertThat(brought.directories()).containsExactlyInAnyOrder("/dev/snd", "/dev/snd/by-path");
    }

    @Test
    void itsNodesGoToTheDirectoryAndHaveThePermissionsOfTheClass() throws Exception {
        nodes("dev/snd/controlC0");

        assertThat(brought(SOUND.replace("match", "container_dir = \"/dev/audio\"\npermissions = \"r\"\nmatch"))
                        .nodes())
                .containsExactly(new Node("/dev/snd/controlC0", "/dev/audio/snd/controlC0", "r"));
    }

    @Test
    void directoryWithOtherFilesIsAlsoMounted() throws Exception {
        nodes("dev/snd/controlC0");
        Files.createFile(directory.resolve("dev/snd/layout.conf"));

        Equipment brought = brought(SOUND);

        assertThat(places(brought)).containsExactly("/dev/snd/controlC0");
        assertThat(brought.mounts()).containsExactly(new Mount("/dev/snd", "/dev/snd", true));
    }

    @Test
    void directoryWithoutNodesIsAMount() throws Exception {
        Files.createDirectories(directory.resolve("dev/snd"));

        assertThat(brought(SOUND).mounts()).containsExactly(new Mount("/dev/snd", "/dev/snd", true));
        assertThat(brought(SOUND).nodes()).isEmpty();
    }

    @Test
    void mountsOfNodesAndDirectoriesAreDevices() throws Exception {
        nodes("dev/dri/renderD128", "dev/dri/card0", "dev/kfd", "dev/snd/timer");

        Equipment brought = brought("""
                [[class]]
                resource = "example.com/gpu"
                kind = "path"
                mounts = ["/dev/kfd:rw", "/dev/snd", "/dev/dri:/dev/gpu:rw"]
                match = { paths = ["/dev/dri/renderD*"] }
                """);

        assertThat(brought.nodes())
                .containsExactlyInAnyOrder(
                        new Node("/dev/dri/renderD128", "/dev/dri/renderD128", "rw"),
                        new Node("/dev/kfd", "/dev/kfd", "rw"),
                        new Node("/dev/dri/card0", "/dev/gpu/card0", "rw"),
                        new Node("/dev/dri/renderD128", "/dev/gpu/renderD128", "rw"),
                        new Node("/dev/snd/timer", "/dev/snd/timer", "r"));
        assertThat(brought.mounts()).isEmpty();
    }

    @Test
    void ownNodeKeepsItsPermissionsBesideAMountOfItsDirectory() throws Exception {
        nodes("dev/snd/controlC0", "dev/snd/timer");
        String classes = """
                [[class]]
                resource = "example.com/snd"
                kind = "path"
                mounts = ["/dev/snd"]
                match = { paths = ["/dev/snd/*"] }
                """;
        Files.createDirectories(directory.resolve("sys"));
        var read = GroupedNode.read(directory, classes);
        List<Equipment> both = Candidate.of(Inventory.scan(Sysfs.at(directory), read), Sysfs.at(directory)).stream()
                .map(one -> one.equipment().orElseThrow())
                .toList();

        assertThat(both.getFirst().nodes())
                .containsExactlyInAnyOrder(
                        new Node("/dev/snd/controlC0", "/dev/snd/controlC0", "rw"),
                        new Node("/dev/snd/timer", "/dev/snd/timer", "r"));
        // What one of them may only read is the other's own.
        assertThat(Allocation.of(read.getFirst(), both, HandOver.DEVICE_NODES).nodes())
                .containsExactly(
                        new Node("/dev/snd/controlC0", "/dev/snd/controlC0", "rw"),
                        new Node("/dev/snd/timer", "/dev/snd/timer", "rw"));
    }

    @Test
    void directoryOutsideOfDevIsMountedAsItIs() throws Exception {
        nodes("srv/slots/a/port");

        Equipment brought = brought(SOUND.replace("/dev/snd/", "/srv/slots/*/"));

        assertThat(brought.mounts()).containsExactly(new Mount("/srv/slots/a", "/srv/slots/a", true));
        assertThat(brought.nodes()).isEmpty();
    }

    @Test
    void linkToADirectoryOfDevStandsForItsNodes() throws Exception {
        nodes("dev/snd/controlC0");
        Files.createDirectories(directory.resolve("srv"));
        Files.createSymbolicLink(directory.resolve("srv/sound"), Path.of("../dev/snd"));

        assertThat(places(brought(SOUND.replace("/dev/snd/", "/srv/sound/")))).containsExactly("/srv/sound/controlC0");
    }

    @Test
    void linksInALoopAndOutOfTheDirectoryAreNotFollowedFurther() throws Exception {
        nodes("dev/snd/controlC0", "dev/mem");
        Files.createSymbolicLink(directory.resolve("dev/snd/self"), Path.of("."));
        Files.createSymbolicLink(directory.resolve("dev/snd/all"), Path.of(".."));
        Files.createSymbolicLink(directory.resolve("dev/snd/loop"), Path.of("loop"));

        assertThat(places(brought(SOUND))).containsExactly("/dev/snd/controlC0");
    }

    @Test
    void nodesInADirectoryOfAnyoneAreLeftOut() throws Exception {
        nodes("dev/snd/controlC0", "dev/snd/open/mem");
        Files.setPosixFilePermissions(directory.resolve("dev/snd/open"), PosixFilePermissions.fromString("rwxrwxrwx"));

        assertThat(places(brought(SOUND))).containsExactly("/dev/snd/controlC0");
    }

    @Test
    void tooManyNodesMakeTheDeviceUnhealthy() throws Exception {
        for (int i = 0; i <= MountedNodes.MAX_NODES; i++) {
            nodes("dev/snd/n" + i);
        }

        Candidate sound = only(SOUND);

        assertThat(sound.device().health().problem())
                .contains("its directory /dev/snd has more than the 256 device nodes that a container can get of it");
        assertThat(sound.equipment().orElseThrow().nodes()).isEmpty();
    }

    @Test
    void realNodeIsOneToo() throws Exception {
        Files.createDirectories(directory.resolve("dev/snd"));
        Process made = new ProcessBuilder(
                        "mknod", directory.resolve("dev/snd/timer").toString(), "c", "1", "3")
                .redirectErrorStream(true)
                .start();
        assertThat(made.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assumeTrue(made.exitValue() == 0, "needs root");

        assertThat(brought(SOUND).nodes()).containsExactly(new Node("/dev/snd/timer", "/dev/snd/timer", "rw"));
    }

    @Test
    void nodesThatComeAndGoAreFollowed() throws Exception {
        SimulatedNode node = GroupedNode.unpack(closing, directory);
        Path sound = Files.createDirectories(node.root().resolve("dev/snd"));
        GroupedNode whole = GroupedNode.follow(closing, node, directory, SOUND);
        Supply supply = whole.supplies(closing).each().getFirst();
        assertThat(places(supply)).isEmpty();

        Files.createSymbolicLink(sound.resolve("controlC0"), Path.of("/dev/null"));
        await(supply, "/dev/snd/controlC0");
        assertThat(whole.resource(supply)
                        .allocate(List.of(List.of("snd")), HandOver.DEVICE_NODES)
                        .getFirst()
                        .nodes())
                .extracting(Node::containerPath)
                .containsExactly("/dev/snd/controlC0");

        Files.createSymbolicLink(Files.createDirectory(sound.resolve("card1")).resolve("pcm"), Path.of("/dev/null"));
        await(supply, "/dev/snd/card1/pcm", "/dev/snd/controlC0");

        Files.delete(sound.resolve("controlC0"));
        await(supply, "/dev/snd/card1/pcm");
    }

    private static List<String> places(Supply supply) {
        return Optional.ofNullable(supply.current().equipment().get("snd")).stream()
                .flatMap(MountedNodesTest::places)
                .toList();
    }

    private static void await(Supply supply, String... nodes) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!places(supply).equals(List.of(nodes)) && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertThat(places(supply)).containsExactly(nodes);
    }
}
