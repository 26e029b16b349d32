package io.edgeplug.model.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Requirement;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.node.scan.FileScan;
import io.edgeplug.node.scan.FilesOf;
import io.edgeplug.system.files.FileKind;
import io.edgeplug.system.files.PathGlob;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PathGroupTest {

    private static final PathGroup CAPTURE =
            new PathGroup(List.of("/dev/video*", "/dev/snd/controlC*", "/etc/capture.conf"), Set.of());

    @TempDir
    private Path root = Path.of("");

    @Test
    void wildcardsStandForWhatTheyMatchedInTheFirstPath() {
        assertThat(paths(CAPTURE, "/dev/video12"))
                .containsExactly("/dev/video12", "/dev/snd/controlC12", "/etc/capture.conf");
        assertThat(paths(new PathGroup(List.of("/a/*-?", "/b/*/$?"), Set.of()), "/a/x-y-1"))
                .containsExactly("/a/x-y-1", "/b/x-y/$1");
        assertThat(paths(new PathGroup(List.of("/a/*", "/b/*"), Set.of()), "/a/$1\\"))
                .containsExactly("/a/$1\\", "/b/$1\\");
    }

    private static List<String> paths(PathGroup group, String first) {
        return group.members(first).stream().map(PathGroup.Member::path).toList();
    }

    @Test
    void onlyAPathThatEndsWithASlashNamesDirectories() throws IOException {
        make("srv/model1/weights", "srv/notes");
        PathGroup group = new PathGroup(List.of("/srv/model*/", "/srv/model*/weights"), Set.of());

        FileScan.Found found = FilesOf.scan(Sysfs.at(root), List.of(), List.of(group));
        assertThat(found.devices()).singleElement().satisfies(device -> {
            assertThat(device.health().isHealthy()).isTrue();
            assertThat(device.files())
                    .extracting(PathDevice.File::path, file -> file.kind().orElseThrow())
                    .containsExactly(
                            tuple("/srv/model1", FileKind.DIRECTORY), tuple("/srv/model1/weights", FileKind.FILE));
        });

        PathGroup wrong = new PathGroup(List.of("/srv/note?", "/srv/model1"), Set.of());
        assertThat(problem(List.of(), List.of(wrong)))
                .contains("/srv/model1 is a directory, and only a path that ends with / names directories");
        assertThat(problem(List.of(PathGlob.parse("/srv/note?/")), List.of()))
                .contains("/srv/notes is a file, and a path that ends with / names directories");
    }

    @Test
    void nothingMatchedIsNoReasonToGiveAWholeDirectory() throws IOException {
        make("dev/video", "dev/other");
        PathGroup group = new PathGroup(List.of("/dev/video*", "/dev/*"), Set.of());

        assertThat(problem(List.of(), List.of(group)))
                .contains("/dev/ is a directory, and only a path that ends with / names directories");
    }

    private Optional<String> problem(List<PathGlob> patterns, List<PathGroup> groups) {
        return FilesOf.scan(Sysfs.at(root), patterns, groups)
                .devices()
                .getFirst()
                .health()
                .problem();
    }

    @Test
    void wildcardsThatTheFirstPathDoesNotHaveAreRefused() {
        assertThatThrownBy(() -> new PathGroup(List.of("/a/*", "/b/*/?"), Set.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("\"/b/*/?\" needs the wildcards of \"/a/*\"");
    }

    @Test
    void eachFileOfTheFirstPathIsADeviceWithItsOthers() throws IOException {
        make(
                "dev/video0",
                "dev/video2",
                "dev/snd/controlC0",
                "dev/snd/controlC1",
                "dev/snd/controlC2",
                "etc/capture.conf");

        List<PathDevice> devices = scan();

        assertThat(devices).extracting(PathDevice::id).containsExactly("video0", "video2");
        assertThat(devices.getLast().files())
                .extracting(PathDevice.File::path)
                .containsExactly("/dev/video2", "/dev/snd/controlC2", "/etc/capture.conf");
        assertThat(devices).allMatch(device -> device.health().isHealthy());
    }

    @Test
    void deviceThatLacksAFileOfItsGroupIsUnhealthyAndOthersKeepTheirs() throws IOException {
        make("dev/video0", "dev/video1", "dev/snd/controlC1", "etc/capture.conf");

        List<PathDevice> devices = scan();

        assertThat(devices.getFirst().health().problem()).contains("lacks /dev/snd/controlC0 of its group");
        assertThat(devices.getLast().health().isHealthy()).isTrue();
        assertThat(devices.getLast().files())
                .extracting(PathDevice.File::path, file -> file.kind().orElseThrow())
                .contains(tuple("/dev/snd/controlC1", FileKind.FILE));
    }

    @Test
    void firstFileOfAGroupIsNoDeviceByItself() throws IOException {
        make("dev/video0", "dev/snd/controlC0", "etc/capture.conf");
        PathGroup later = new PathGroup(List.of("/dev/video0"), Set.of());

        FileScan.Found found = FilesOf.scan(
                Sysfs.at(root),
                List.of(PathGlob.parse("/dev/video*"), PathGlob.parse("/etc/*")),
                List.of(CAPTURE, later));

        assertThat(found.devices()).extracting(PathDevice::id).containsExactly("video0", "capture.conf");
        assertThat(found.devices().getFirst().group()).contains(CAPTURE);
    }

    @Test
    void onlyAClassWithTheGroupTakesItsDevices() throws IOException {
        make("dev/video0", "dev/snd/controlC0", "etc/capture.conf");
        ResourceName name = ResourceName.parse("example.com/x");
        DeviceClass single =
                DeviceClass.of(name, Kind.PATH, new Selector(Map.of(SelectorWord.PATHS, List.of("/dev/video*"))));

        assertThat(single.takes(scan().getFirst())).isFalse();
        assertThat(single.requirements(scan().getFirst()))
                .contains(new Requirement("no group", "/dev/video0 + /dev/snd/controlC0 + /etc/capture.conf", false));
        PathDevice alone = FilesOf.scan(Sysfs.at(root), List.of(PathGlob.parse("/dev/video*")), List.of())
                .devices()
                .getFirst();
        assertThat(single.takes(alone)).isTrue();
    }

    private List<PathDevice> scan() {
        return FilesOf.scan(Sysfs.at(root), List.of(), List.of(CAPTURE)).devices();
    }

    private void make(String... files) throws IOException {
        for (String file : files) {
            Path path = root.resolve(file);
            Files.createDirectories(path.resolveSibling("."));
            Files.createFile(path);
        }
    }
}
