package io.edgeplug.system.udev;

import com.sun.jna.Pointer;
import io.edgeplug.system.kernel.KernelCalls;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * A subscription to the uevents of udevd or of the kernel; see {@code udev_monitor_new_from_netlink(3)}.
 *
 * <p>libudev drops messages of other senders. In udevd's group it accepts only root, and in the kernel's group only the
 * kernel. In both it drops messages that were not sent to the group.
 */
final class UeventSocket implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(UeventSocket.class.getName());

    private static final String RULES = "90-edgeplug.rules";
    private static final String TAG = "edgeplug";

    /** The subsystems that are followed if no rule selects devices. They are those that the rules tag. */
    private static final List<String> SUBSYSTEMS = List.of(
            "pci",
            "net",
            "infiniband",
            "infiniband_verbs",
            "infiniband_mad",
            "misc",
            "fpga_region",
            "fpga_manager",
            "dfl",
            "fpga",
            "xrt_mgmt",
            "auxiliary",
            "vdpa",
            "uio",
            "drm",
            "usb",
            "usbmisc",
            "tty",
            "video4linux",
            "media",
            "sound",
            "input",
            "hidraw",
            "block");

    private final Pointer monitor;

    private UeventSocket(Pointer monitor) {
        this.monitor = monitor;
    }

    /**
     * Subscribes, and logs the source.
     *
     * @param afterUdevd whether to take udevd's uevents, which nobody sends if it does not run
     * @param bufferBytes room for waiting events
     */
    static UeventSocket open(Pointer context, boolean afterUdevd, int bufferBytes) throws IOException {
        @Nullable Pointer monitor = Udev.udev_monitor_new_from_netlink(context, afterUdevd ? "udev" : "kernel");
        if (monitor == null) {
            throw new IOException("no socket for uevents: " + KernelCalls.reason());
        }
        UeventSocket socket = new UeventSocket(monitor);
        socket.choose(afterUdevd);
        Udev.udev_monitor_set_receive_buffer_size(monitor, bufferBytes);
        int result = Udev.udev_monitor_enable_receiving(monitor);
        if (result < 0) {
            String reason = KernelCalls.strerror(-result);
            socket.close();
            throw new IOException("no uevents: " + reason);
        }
        return socket;
    }

    private void choose(boolean afterUdevd) {
        if (afterUdevd && Udevd.hasRules(RULES)) {
            Udev.udev_monitor_filter_add_match_tag(monitor, TAG);
            LOG.info("uevents come from udevd, as " + RULES + " chooses them");
            return;
        }
        for (String subsystem : SUBSYSTEMS) {
            Udev.udev_monitor_filter_add_match_subsystem_devtype(monitor, subsystem, null);
        }
        LOG.info(
                afterUdevd
                        ? "uevents come from udevd, chosen by subsystem: " + RULES + " is not installed"
                        : "uevents come from the kernel itself: udevd does not run");
    }

    int descriptor() {
        return Udev.udev_monitor_get_fd(monitor);
    }

    /** The next uevent; empty if the message was for others, or is no uevent. */
    Optional<Uevent> receive() {
        @Nullable Pointer device = Udev.udev_monitor_receive_device(monitor);
        if (device == null) {
            return KernelCalls.error() == KernelCalls.ENOBUFS ? Optional.of(Uevent.MISSED) : Optional.empty();
        }
        try {
            return uevent(
                    Udev.udev_device_get_action(device),
                    Udev.udev_device_get_devpath(device),
                    Udev.udev_device_get_subsystem(device));
        } finally {
            Udev.udev_device_unref(device);
        }
    }

    private static Optional<Uevent> uevent(
            @Nullable String action, @Nullable String devpath, @Nullable String subsystem) {
        if (action == null || devpath == null || subsystem == null) {
            return Optional.empty();
        }
        boolean isDevice = devpath.startsWith("/devices/") && !devpath.contains("/../");
        return isDevice ? Optional.of(new Uevent(action, devpath, subsystem)) : Optional.empty();
    }

    @Override
    public void close() {
        Udev.udev_monitor_unref(monitor);
    }
}
