package io.edgeplug.node.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.model.device.UsbPort;
import io.edgeplug.system.files.Sysfs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read of a USB device, on the machine {@code usb-devices}. */
final class UsbScanTest {

    @TempDir
    Path directory;

    private SimulatedNode node;

    @BeforeEach
    void unpack() throws Exception {
        String tree = Files.readString(Path.of("src/test/machines/usb-devices/tree"));
        node = SimulatedNode.unpack(tree, directory.resolve("node"));
    }

    private UsbDevice at(String port) throws Exception {
        return new UsbScan(node.sysfs()).device(new UsbPort(port)).orElseThrow();
    }

    @Test
    void portsAreThoseOfDevicesAndNotOfInterfaces() throws Exception {
        assertThat(new UsbScan(node.sysfs()).ports())
                .extracting(UsbPort::path)
                .containsExactly("1-1", "1-4", "1-4.1", "1-4.2", "1-5", "1-6", "1-7");
    }

    @Test
    void cameraHasAllNodesOfItsInterfacesUnderTheNamesOfTheKernel() throws Exception {
        UsbDevice camera = at("1-5");

        assertThat(camera.serial()).contains("2F9C1A5F");
        assertThat(camera.nodes())
                .extracting(UsbDevice.Node::path)
                .containsExactlyInAnyOrder(
                        "/dev/bus/usb/001/006",
                        "/dev/video0",
                        "/dev/video1",
                        "/dev/media0",
                        "/dev/input/event7",
                        "/dev/snd/controlC1",
                        "/dev/snd/pcmC1D0c");
        assertThat(camera.drivers()).containsExactly("snd-usb-audio", "uvcvideo");
        assertThat(camera.interfaceClasses()).containsExactly("010100", "0e0100", "0e0200");
        assertThat(camera.numaNode()).hasValue(0);
    }

    @Test
    void deviceThatGoesDuringTheLookIsNotThere() throws Exception {
        Path camera = node.root().resolve("sys/bus/usb/devices/1-5");
        Sysfs going = node.sysfs().announcing(path -> {
            if (path.endsWith("1-5/serial")) {
                assertThat(camera.toFile().delete()).isTrue();
            }
        });

        assertThat(new UsbScan(going).device(new UsbPort("1-5"))).isEmpty();
    }

    @Test
    void hubHasNoNodesOfTheDevicesBehindIt() throws Exception {
        assertThat(at("1-4").isHub()).isTrue();
        assertThat(at("1-4").nodes()).extracting(UsbDevice.Node::path).containsExactly("/dev/bus/usb/001/003");
    }

    @Test
    void deviceThatTheNodeDoesNotAuthorizeIsUnhealthy() throws Exception {
        node.write("sys/bus/usb/devices/1-6/authorized", "0");

        assertThat(at("1-6").health().isHealthy()).isFalse();
    }

    @Test
    void stickThatTheNodeHasMountedIsItsOwn() throws Exception {
        Path proc = Files.createDirectories(node.root().resolve("proc/thread-self"));
        assertThat(at("1-7").health().isHealthy()).isTrue();

        Files.writeString(proc.resolve("mountinfo"), """
                22 1 254:0 / / rw - ext4 /dev/vda rw
                35 22 8:0 / /srv/data rw,relatime shared:1 - vfat /dev/other rw
                """);
        assertThat(at("1-7").health().problem())
                .contains("the node uses it itself: it has /dev/sda mounted on /srv/data");

        Files.writeString(proc.resolve("mountinfo"), "35 22 0:41 /root / rw shared:1 - btrfs /dev/sda rw\n");
        assertThat(at("1-7").health().problem()).contains("the node uses it itself: it has /dev/sda mounted on /");
        assertThat(at("1-6").health().isHealthy()).isTrue();
    }

    @Test
    void stickThatIsAPartOfAVolumeIsTheNodesOwn() throws Exception {
        Files.createDirectories(node.root().resolve("sys/class/block/sda/holders/dm-0"));

        assertThat(at("1-7").health().problem()).contains("the node uses it itself: it has /dev/sda as a part of dm-0");
    }

    @Test
    void networkAdapterWithTheNodesRouteIsItsOwn() throws Exception {
        Path net = Files.createDirectories(node.root().resolve("sys/bus/usb/devices/1-6/1-6:1.0/net/eth1"));
        Files.createDirectories(node.root().resolve("sys/class/net"));
        Files.createSymbolicLink(node.root().resolve("sys/class/net/eth1"), net.toRealPath());
        assertThat(at("1-6").health().isHealthy()).isTrue();

        Files.createDirectories(node.root().resolve("proc/net"));
        Files.writeString(node.root().resolve("proc/net/route"), """
                Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT
                eth1\t00000000\t0100A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
                """);

        assertThat(at("1-6").health().problem()).contains("the node uses it itself: it has the default route on eth1");
    }

    @Test
    void nameOfANodeThatLeadsOutOfDevIsNoNode() throws Exception {
        for (String name : List.of("../etc/shadow", "/etc/shadow", "a//b", "x/..", "", "a".repeat(4000))) {
            node.write("sys/bus/usb/devices/1-6/1-6:1.0/ttyUSB0/tty/ttyUSB0/uevent", "DEVNAME=" + name);

            assertThat(at("1-6").nodes())
                    .as(name)
                    .extracting(UsbDevice.Node::path)
                    .containsExactly("/dev/bus/usb/001/007");
        }
    }

    @Test
    void portThatNobodyUsesHasNoDevice() throws Exception {
        assertThat(new UsbScan(node.sysfs()).device(new UsbPort("1-9"))).isEqualTo(Optional.empty());
    }

    @Test
    void portIsThatOfTheLastDeviceInAPath() throws Exception {
        String hub = "/devices/pci0000:00/0000:00:14.0/usb1/1-4";

        assertThat(UsbPort.lastIn(hub + "/1-4.2/1-4.2:1.0/0003:0627:0001.0001/hidraw/hidraw0"))
                .contains(new UsbPort("1-4.2"));
        assertThat(UsbPort.lastIn(hub + "/1-4:1.0/host2/target2:0:0/2:0:0:0/block/sda"))
                .contains(new UsbPort("1-4"));
        assertThat(UsbPort.lastIn("/devices/pci0000:00/0000:00:1f.4/i2c-1/1-0050"))
                .isEmpty();
        assertThat(UsbPort.lastIn("/devices/pci0000:00/0000:00:14.0/usb1")).isEmpty();
    }
}
