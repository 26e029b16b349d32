package io.edgeplug.node.prepare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.model.device.UsbPort;
import io.edgeplug.node.scan.UsbScan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The reset of a serial adapter, whose driver makes its node again. */
@Timeout(60)
final class UsbResetTest {

    private static final String NODE = "dev/bus/usb/001/007";
    private static final String TTY = "sys/bus/usb/devices/1-6/1-6:1.0/ttyUSB0/tty/ttyUSB0/dev";

    @TempDir
    Path directory;

    private SimulatedNode node;
    private UsbDevice adapter;

    @BeforeEach
    void unpack() throws Exception {
        String tree = Files.readString(Path.of("src/test/machines/usb-devices/tree"));
        node = SimulatedNode.unpack(tree, directory.resolve("node"));
        adapter = new UsbScan(node.sysfs()).device(new UsbPort("1-6")).orElseThrow();
    }

    @Test
    void portIsResetAlsoIfTheClassHandsOverOtherNodesOnly() throws Exception {
        UsbDevice some = adapter.as(
                "serial",
                adapter.nodes().stream()
                        .filter(one -> one.subsystem().equals("tty"))
                        .toList());

        assertThat(new UsbReset(node.sysfs()).reset(some)).isEmpty();

        assertThat(node.acts()).isEqualTo(List.of(NODE + " reset"));
    }

    @Test
    void nodeThatComesBackUnderAnotherNumberIsRefused() throws Exception {
        node.interfere(NODE, () -> node.write(TTY, "188:3"));

        assertThatThrownBy(() -> new UsbReset(node.sysfs()).reset(adapter))
                .isInstanceOf(IOException.class)
                .hasMessage("it does not have the nodes any more that it had: /dev/ttyUSB0");
    }

    @Test
    void anotherDeviceAtThePortIsNotReset() throws Exception {
        node.write("sys/bus/usb/devices/1-6/serial", "other");

        assertThatThrownBy(() -> new UsbReset(node.sysfs()).reset(adapter)).hasMessage("it is not at 1-6 any more");
        assertThat(node.acts()).isEmpty();
    }

    @Test
    void refusalOfTheKernelIsTold() throws Exception {
        node.interfere(NODE, () -> {
            throw new IOException("Protocol error");
        });

        assertThatThrownBy(() -> new UsbReset(node.sysfs()).reset(adapter))
                .hasMessage("ioctl /" + NODE + ": Protocol error");
    }
}
