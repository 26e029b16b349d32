package io.edgeplug.node.prepare;

import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.node.scan.UsbScan;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.flow.Condition;
import io.edgeplug.system.kernel.Ioctl;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The reset of the port of a USB device, as programs get it from the kernel. Its drivers begin anew. */
record UsbReset(Sysfs sysfs) {

    /** {@code USBDEVFS_RESET}, which is {@code _IO('U', 20)} and has no argument; see include/uapi/linux/usbdevice_fs.h. */
    private static final Ioctl RESET = new Ioctl(0x5514, ByteBuffer.allocate(8), 0, ByteBuffer.allocateDirect(8));

    /** How long the drivers may take to make their nodes again. */
    private static final Duration DRIVERS = Duration.ofSeconds(5);

    /**
     * Resets the device, and waits until it has the nodes that it had.
     *
     * @throws IOException if it gets others: its container was given the old ones
     */
    String reset(UsbDevice device) throws IOException, InterruptedException {
        UsbDevice before =
                now(device).orElseThrow(() -> new IOException("it is not at " + device.port() + " any more"));
        String node = before.nodes().stream()
                .filter(one -> one.subsystem().equals("usb"))
                .map(UsbDevice.Node::path)
                .findFirst()
                .orElseThrow(() -> new IOException("the kernel has made no node in /dev/bus/usb for it"));
        sysfs.ioctl(node.substring(1), RESET);
        boolean isAsBefore = Condition.await(
                () -> now(device)
                        .filter(one -> one.nodes().containsAll(before.nodes()))
                        .isPresent(),
                DRIVERS);
        if (!isAsBefore) {
            throw new IOException("it does not have the nodes any more that it had: "
                    + now(device).map(one -> missing(one, before.nodes())).orElse("it is gone"));
        }
        return "";
    }

    /** The device with all of its nodes; empty if another one is at its port now. */
    private Optional<UsbDevice> now(UsbDevice device) throws IOException {
        return new UsbScan(sysfs)
                .device(device.port())
                .filter(one -> one.vendor().equals(device.vendor())
                        && one.product().equals(device.product())
                        && one.serial().equals(device.serial()));
    }

    private static String missing(UsbDevice now, List<UsbDevice.Node> nodes) {
        return String.join(
                ", ",
                nodes.stream()
                        .filter(node -> !now.nodes().contains(node))
                        .map(UsbDevice.Node::path)
                        .toList());
    }
}
