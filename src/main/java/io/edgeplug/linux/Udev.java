package io.edgeplug.linux;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;

/**
 * What is called of libudev and libc; see libudev(3), poll(2), eventfd(2) and inotify(7).
 *
 * <p>It belongs to nobody: any thread may call, but only one at a time for one monitor.
 */
@SuppressWarnings("MemberName") // jnr-ffi looks functions up by these names
interface Udev {

    short POLLIN = 0x1;
    short POLLNVAL = 0x20;
    int EFD_CLOEXEC = 02000000;
    int IN_NONBLOCK_CLOEXEC = 02004000;

    /** IN_CREATE, IN_MOVED_TO, IN_DELETE and IN_MOVED_FROM. */
    int IN_NAMES = 0x100 | 0x80 | 0x200 | 0x40;

    /**
     * Loads both libraries.
     *
     * @throws IOException if this node has no libudev
     */
    static Udev load() throws IOException {
        try {
            // classes made at run time would cost more time to make than they save in calls
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

    /**
     * Memory that these functions can read and write, all zero.
     *
     * <p>Of Java's own: jnr-ffi's has a thread that gives it back, which costs each start more than all else here.
     */
    static Pointer memory(Udev udev, int bytes) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
        return Pointer.wrap(Runtime.getRuntime(udev), buffer);
    }

    Pointer udev_new();

    Pointer udev_unref(Pointer udev);

    Pointer udev_monitor_new_from_netlink(Pointer udev, String group);

    int udev_monitor_filter_add_match_tag(Pointer monitor, String tag);

    /** Adds a subsystem to those that pass; a devtype of NULL is any. */
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

    int poll(Pointer descriptors, long count, int milliseconds);

    int eventfd(int count, int flags);

    int inotify_init1(int flags);

    int inotify_add_watch(int descriptor, String path, int mask);

    long read(int descriptor, Pointer bytes, long count);

    long write(int descriptor, Pointer bytes, long count);

    int close(int descriptor);
}
