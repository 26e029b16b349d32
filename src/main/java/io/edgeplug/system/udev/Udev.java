package io.edgeplug.system.udev;

import io.edgeplug.system.kernel.KernelCalls;
import java.io.IOException;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Pointer;

/**
 * Functions of libudev, and of libc; see libudev(3).
 *
 * <p>Any thread may call them, but only one at a time for one monitor.
 */
@SuppressWarnings("MemberName") // jnr-ffi looks functions up by these names
interface Udev extends KernelCalls {

    /**
     * Loads both libraries.
     *
     * @throws IOException if this node has no libudev
     */
    static Udev load() throws IOException {
        try {
            // Making classes at run time would cost more time than their calls save.
            System.setProperty("jnr.ffi.asm.enabled", "false");
            return LibraryLoader.create(Udev.class)
                    .library("udev")
                    .library("c")
                    .failImmediately()
                    .load();
        } catch (UnsatisfiedLinkError e) {
            throw new IOException("libudev: cannot load: " + e.getMessage(), e);
        }
    }

    Pointer udev_new();

    Pointer udev_unref(Pointer udev);

    Pointer udev_monitor_new_from_netlink(Pointer udev, String group);

    int udev_monitor_filter_add_match_tag(Pointer monitor, String tag);

    /** Adds a subsystem to the filter; a devtype of NULL is any. */
    int udev_monitor_filter_add_match_subsystem_devtype(Pointer monitor, String subsystem, long devtype);

    int udev_monitor_set_receive_buffer_size(Pointer monitor, int bytes);

    int udev_monitor_enable_receiving(Pointer monitor);

    int udev_monitor_get_fd(Pointer monitor);

    Pointer udev_monitor_receive_device(Pointer monitor);

    Pointer udev_monitor_unref(Pointer monitor);

    String udev_device_get_action(Pointer device);

    String udev_device_get_devpath(Pointer device);

    String udev_device_get_subsystem(Pointer device);

    Pointer udev_device_unref(Pointer device);
}
