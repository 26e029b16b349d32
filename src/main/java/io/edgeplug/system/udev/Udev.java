package io.edgeplug.system.udev;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Functions of libudev; see libudev(3). They need {@link #load}.
 *
 * <p>Any thread may call them, but only one at a time for one monitor.
 */
@SuppressWarnings("MemberName") // JNA looks functions up by these names
final class Udev {

    private static final String LIBRARY = "libudev.so.1";

    private Udev() {}

    /**
     * Loads the library.
     *
     * @throws IOException if this node has none
     */
    static void load() throws IOException {
        try {
            Native.register(Udev.class, LIBRARY);
        } catch (UnsatisfiedLinkError e) {
            // The first of them is what the loader says. The message is all places where JNA has looked.
            String reason = Stream.of(e.getSuppressed())
                    .map(Throwable::getMessage)
                    .findFirst()
                    .orElse(e.getMessage());
            throw new IOException(LIBRARY + " cannot be loaded: " + reason, e);
        }
    }

    static native Pointer udev_new();

    static native Pointer udev_unref(Pointer udev);

    static native @Nullable Pointer udev_monitor_new_from_netlink(Pointer udev, String group);

    static native int udev_monitor_filter_add_match_tag(Pointer monitor, String tag);

    /** Adds a subsystem to the filter; a devtype of null is any. */
    static native int udev_monitor_filter_add_match_subsystem_devtype(
            Pointer monitor, String subsystem, @Nullable String devtype);

    static native int udev_monitor_set_receive_buffer_size(Pointer monitor, int bytes);

    static native int udev_monitor_enable_receiving(Pointer monitor);

    static native int udev_monitor_get_fd(Pointer monitor);

    static native @Nullable Pointer udev_monitor_receive_device(Pointer monitor);

    static native Pointer udev_monitor_unref(Pointer monitor);

    static native @Nullable String udev_device_get_action(Pointer device);

    static native @Nullable String udev_device_get_devpath(Pointer device);

    static native @Nullable String udev_device_get_subsystem(Pointer device);

    static native Pointer udev_device_unref(Pointer device);
}
