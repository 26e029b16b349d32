package io.edgeplug.node.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PathGroup;
import io.edgeplug.system.files.FileKind;
import io.edgeplug.system.files.PathGlob;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a scan tells of the files that patterns and groups name. */
final class PathScanTest {

    @TempDir
    private Path root = Path.of("");

    @Test
    void directoryThatLoopsEndsNoScan() throws IOException {
        Files.createDirectories(root.resolve("etc/gophers"));
        Files.createFile(root.resolve("etc/gophers/g1"));
        Files.createSymbolicLink(root.resolve("etc/loop"), Path.of("loop"));

        FileScan.Found found = FilesOf.scan(
                Sysfs.at(root), List.of(PathGlob.parse("/etc/loop/*"), PathGlob.parse("/etc/gophers/*")), List.of());

        assertThat(found.devices()).extracting(Device::id).containsExactly("g1");
        assertThat(found.problems().values())
                .singleElement()
                .asString()
                .startsWith("/etc/loop/*: list loop: Too many levels of symbolic links");
    }

    @Test
    void globDoesNotNameHiddenFiles() throws IOException {
        Files.createDirectories(root.resolve("etc/gophers"));
        Files.createFile(root.resolve("etc/gophers/.g0"));
        Files.createFile(root.resolve("etc/gophers/g1"));

        assertThat(FilesOf.scan(Sysfs.at(root), List.of(PathGlob.parse("/etc/gophers/*")), List.of())
                        .devices())
                .singleElement()
                .satisfies(device -> {
                    assertThat(device.id()).isEqualTo("g1");
                    assertThat(device.path()).isEqualTo("/etc/gophers/g1");
                    assertThat(device.files().getFirst().kind()).contains(FileKind.FILE);
                    assertThat(device.health()).isEqualTo(Health.HEALTHY);
                });
    }

    @Test
    void directoryIsNoFileUnlessThePatternSaysSo() throws IOException {
        Files.createDirectories(root.resolve("srv/slots/s1"));

        assertThat(path("/srv/slots/*").health().problem())
                .contains("/srv/slots/s1 is a directory, and only a path that ends with / names directories");
        assertThat(path("/srv/slots/*/").health().problem()).isEmpty();
        assertThat(path("/srv/slots/*", "/srv/slots/*/").health().problem()).isEmpty();
        assertThat(path("/srv/slots/*/").files())
                .singleElement()
                .satisfies(file -> assertThat(file.kind()).contains(FileKind.DIRECTORY));
    }

    @Test
    void linkThatLeadsNowhereIsUnhealthy() throws IOException {
        Files.createDirectories(root.resolve("etc/gophers"));
        Files.createSymbolicLink(root.resolve("etc/gophers/g1"), Path.of("nowhere"));

        assertThat(path("/etc/gophers/*").health().problem()).contains("/etc/gophers/g1 is a link that leads nowhere");
    }

    @Test
    void linkOfAGroupThatLeadsNowhereIsToldFromAFileThatIsMissing() throws IOException {
        Files.createDirectories(root.resolve("etc/gophers"));
        Files.createFile(root.resolve("etc/gophers/g1"));
        PathGroup group = new PathGroup(List.of("/etc/gophers/g*", "/etc/maps/m*"), Set.of());

        assertThat(grouped(group).health().problem()).contains("lacks /etc/maps/m1 of its group");

        Files.createDirectories(root.resolve("etc/maps"));
        Files.createSymbolicLink(root.resolve("etc/maps/m1"), Path.of("nowhere"));

        assertThat(grouped(group).health().problem()).contains("/etc/maps/m1 is a link that leads nowhere");
    }

    @Test
    void socketAndLinkToASocketAreUnhealthy() throws IOException {
        Files.createDirectories(root.resolve("run/s"));
        Files.createSymbolicLink(root.resolve("run/link"), Path.of("s/s"));
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(root.resolve("run/s/s")));

            assertThat(path("/run/s/*").health().problem())
                    .contains("/run/s/s is a socket, and not a regular file or a device node");
            assertThat(path("/run/link").health().problem())
                    .contains("/run/link is a socket, and not a regular file or a device node");
        }
    }

    @Test
    void namedPipeIsUnhealthy() throws Exception {
        Files.createDirectories(root.resolve("run"));
        Process made = new ProcessBuilder("mkfifo", root.resolve("run/pipe").toString()).start();
        assertThat(made.waitFor(10, TimeUnit.SECONDS)).isTrue();

        assertThat(path("/run/*").health().problem())
                .contains("/run/pipe is a FIFO, and not a regular file or a device node");
    }

    @Test
    void nameIsTheIdUpToTheLengthThatIsCarriedEverywhere() throws IOException {
        Files.createDirectories(root.resolve("dev/serial/by-id"));
        String name = "usb-" + "Silicon_Labs_CP2102N_USB_to_UART_Bridge_Controller_".repeat(2) + "-if00-port0";
        assertThat(name).hasSizeGreaterThan(63).hasSizeLessThan(120);
        Files.createFile(root.resolve("dev/serial/by-id/" + name));

        assertThat(path("/dev/serial/by-id/*").id()).isEqualTo(name);
    }

    @Test
    void longerNamesAreShortenedEachToAnIdOfItsOwnThatStays() throws IOException {
        Files.createDirectories(root.resolve("dev/serial/by-id"));
        String common = "usb-" + "x".repeat(240);
        Files.createFile(root.resolve("dev/serial/by-id/" + common + "-a"));
        Files.createFile(root.resolve("dev/serial/by-id/" + common + "-b"));

        // as printed by: printf %s NAME | sha256sum
        assertThat(FilesOf.scan(Sysfs.at(root), List.of(PathGlob.parse("/dev/serial/by-id/*")), List.of())
                        .devices())
                .extracting(PathDevice::id)
                .containsExactly(
                        "usb-" + "x".repeat(99) + ".aaea14438a97cc35", "usb-" + "x".repeat(99) + ".87d116b4c015fe6d");
    }

    private PathDevice grouped(PathGroup group) {
        return FilesOf.scan(Sysfs.at(root), List.of(), List.of(group)).devices().getFirst();
    }

    private PathDevice path(String... patterns) {
        List<PathGlob> globs = Arrays.stream(patterns).map(PathGlob::parse).toList();
        return FilesOf.scan(Sysfs.at(root), globs, List.of()).devices().getFirst();
    }
}
