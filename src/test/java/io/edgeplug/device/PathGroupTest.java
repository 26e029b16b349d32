package io.edgeplug.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.linux.PathGlob;
import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PathGroupTest {

    private static final PathGroup CAPTURE =
            new PathGroup(List.of("/dev/video*", "/dev/snd/controlC*", "/etc/capture.conf"));

    @TempDir
    private Path root = Path.of("");

    @Test
    void wildcardsStandForWhatTheyMatchedInTheFirstPath() {
        assertThat(CAPTURE.beside("/dev/video12")).containsExactly("/dev/snd/controlC12", "/etc/capture.conf");
        assertThat(new PathGroup(List.of("/a/*-?", "/b/*/$?")).beside("/a/x-y-1"))
                .containsExactly("/b/x-y/$1");
        assertThat(new PathGroup(List.of("/a/*", "/b/*")).beside("/a/$1\\")).containsExactly("/b/$1\\");
    }

    @Test
    void wildcardsThatTheFirstPathDoesNotHaveAreRefused() {
        assertThatThrownBy(() -> new PathGroup(List.of("/a/*", "/b/*/?")))
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
        assertThat(devices.getLast().files()).contains(new PathDevice.File("/dev/snd/controlC1", false));
    }

    @Test
    void firstFileOfAGroupIsNoDeviceByItself() throws IOException {
        make("dev/video0", "dev/snd/controlC0", "etc/capture.conf");
        PathGroup later = new PathGroup(List.of("/dev/video0"));

        DeviceScan.PathScan found = new DeviceScan(Sysfs.at(root))
                .paths(List.of(PathGlob.parse("/dev/video*"), PathGlob.parse("/etc/*")), List.of(CAPTURE, later));

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
        assertThat(single.conditions(scan().getFirst())).contains(new Condition("no group", CAPTURE.toString(), false));
        PathDevice alone = new DeviceScan(Sysfs.at(root))
                .paths(List.of(PathGlob.parse("/dev/video*")), List.of())
                .devices()
                .getFirst();
        assertThat(single.takes(alone)).isTrue();
    }

    private List<PathDevice> scan() {
        return new DeviceScan(Sysfs.at(root)).paths(List.of(), List.of(CAPTURE)).devices();
    }

    private void make(String... files) throws IOException {
        for (String file : files) {
            Path path = root.resolve(file);
            Files.createDirectories(path.resolveSibling("."));
            Files.createFile(path);
        }
    }
}
