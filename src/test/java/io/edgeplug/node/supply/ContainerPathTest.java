package io.edgeplug.node.supply;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.node.container.Allocation.Mount;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a container has the files of a device, and which of them it can do without. */
final class ContainerPathTest {

    private static final String ZIGBEE = """
            [[class]]
            resource = "example.com/zigbee"
            kind = "path"
            container_path = "/dev/ttyUSB0"
            match = { paths = ["/dev/serial/by-id/usb-zigbee-*"] }
            """;

    @TempDir
    private Path root = Path.of("");

    @BeforeEach
    void make() throws IOException {
        Files.createDirectories(root.resolve("sys"));
        for (String node :
                List.of("ttyUSB3", "ttyUSB4", "input/event5", "video0", "video1", "media0", "video6", "video7")) {
            // On a tree of files, device nodes are files.
            Files.createDirectories(root.resolve("dev/" + node).resolveSibling(""));
            Files.createFile(root.resolve("dev/" + node));
        }
        link("dev/serial/by-id/usb-zigbee-1", "../../ttyUSB3");
        link("dev/input/by-id/usb-pedal-event", "../event5");
        for (int index = 0; index < 2; index++) {
            link("dev/v4l/by-id/usb-brio-video-index" + index, "../../video" + index);
            link("dev/v4l/by-id/usb-tap-video-index" + index, "../../video" + (6 + index));
        }
        link("dev/v4l/by-id/usb-brio-video-index2", "../../media0");
    }

    private void link(String path, String target) throws IOException {
        Files.createDirectories(root.resolve(path).resolveSibling(""));
        Files.createSymbolicLink(root.resolve(path), Path.of(target));
    }

    private List<Candidate> devices(String classes) throws Exception {
        Sysfs sysfs = Sysfs.at(root);
        return Candidate.of(Inventory.scan(sysfs, GroupedNode.read(root, classes)), sysfs);
    }

    private List<Mount> mounts(String classes) throws Exception {
        return devices(classes).getFirst().equipment().orElseThrow().mounts();
    }

    @Test
    void fixedNameForALink() throws Exception {
        assertThat(mounts(ZIGBEE)).containsExactly(new Mount("/dev/ttyUSB3", "/dev/ttyUSB0", true));
    }

    @Test
    void kernelsNameBesideThatOfTheLink() throws Exception {
        assertThat(mounts("""
                        [[class]]
                        resource = "example.com/pedal"
                        kind = "path"
                        container_path = ["{path}", "{target}"]
                        match = { paths = ["/dev/input/by-id/usb-pedal-*"] }
                        """))
                .containsExactly(
                        new Mount("/dev/input/event5", "/dev/input/by-id/usb-pedal-event", true),
                        new Mount("/dev/input/event5", "/dev/input/event5", true));
    }

    @Test
    void eachFileOfAGroupHasItsOwn() throws Exception {
        assertThat(mounts("""
                        [[class]]
                        resource = "example.com/camera"
                        kind = "path"
                        container_path = "/cam/{name}"
                        [[class.groups]]
                        paths = ["/dev/v4l/by-id/usb-tap-video-index0", "/dev/v4l/by-id/usb-tap-video-index1"]
                        """))
                .extracting(Mount::containerPath)
                .containsExactly("/cam/usb-tap-video-index0", "/cam/usb-tap-video-index1");
    }

    @Test
    void twoFilesAtOnePathAreRefused() throws Exception {
        assertThat(devices("""
                        [[class]]
                        resource = "example.com/camera"
                        kind = "path"
                        container_path = "/dev/video0"
                        [[class.groups]]
                        paths = ["/dev/v4l/by-id/usb-tap-video-index0", "/dev/v4l/by-id/usb-tap-video-index1"]
                        """).getFirst().device().health().problem())
                .contains("in its container two different files would be /dev/video0");
    }

    @Test
    void cameraWithoutAnOptionalNodeIsOffered() throws Exception {
        String cameras = """
                [[class]]
                resource = "example.com/camera"
                kind = "path"
                [[class.groups]]
                paths = [
                    "/dev/v4l/by-id/usb-*-video-index0",
                    "/dev/v4l/by-id/usb-*-video-index1",
                    "/dev/v4l/by-id/usb-*-video-index2",
                ]
                optional = ["/dev/v4l/by-id/usb-*-video-index2"]
                """;
        List<Candidate> devices = devices(cameras);

        assertThat(devices).hasSize(2).allMatch(Candidate::isHealthy);
        assertThat(devices.getFirst().equipment().orElseThrow().mounts()).hasSize(3);
        assertThat(devices.getLast().equipment().orElseThrow().mounts()).hasSize(2);

        Files.delete(root.resolve("dev/v4l/by-id/usb-tap-video-index1"));
        assertThat(devices(cameras).getLast().device().health().problem())
                .contains("lacks /dev/v4l/by-id/usb-tap-video-index1 of its group");
    }

    @Test
    void optionalNodeThatLeadsNowhereIsAProblem() throws Exception {
        link("dev/v4l/by-id/usb-tap-video-index2", "../../gone");

        assertThat(devices("""
                        [[class]]
                        resource = "example.com/camera"
                        kind = "path"
                        [[class.groups]]
                        paths = ["/dev/v4l/by-id/usb-tap-video-index0", "/dev/v4l/by-id/usb-tap-video-index2"]
                        optional = ["/dev/v4l/by-id/usb-tap-video-index2"]
                        """).getFirst().device().health().problem())
                .contains("/dev/v4l/by-id/usb-tap-video-index2 is a link that leads nowhere");
    }
}
