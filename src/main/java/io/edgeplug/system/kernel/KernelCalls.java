package io.edgeplug.system.kernel;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;

/**
 * Functions of libc that the JDK does not have: see open(2), ioctl(2), pipe(2), poll(2), eventfd(2),
 * netlink(7), inotify(7), strerror(3), clock_gettime(2), madvise(2). Any thread.
 *
 * <p>JNA calls them, because it speaks to systemd too, so its library is there anyway.
 */
@SuppressWarnings("MemberName") // JNA looks functions up by these names
public final class KernelCalls {

    public static final int ENOENT = 2;
    public static final int EBADF = 9;
    public static final int ENOTDIR = 20;
    public static final int ENOSPC = 28;
    public static final int ENOBUFS = 105;
    public static final int O_RDONLY = 0;
    public static final int O_RDWR = 2;

    /** Another bit on Arm, where the bit of x86 is O_LARGEFILE; see asm/fcntl.h. */
    public static final int O_NOFOLLOW = System.getProperty("os.arch").equals("aarch64") ? 0100000 : 0400000;

    public static final int O_CLOEXEC = 02000000;
    public static final int O_PATH = 010000000;
    public static final short POLLIN = 0x1;
    public static final short POLLPRI = 0x2;
    public static final short POLLNVAL = 0x20;
    static final int EFD_CLOEXEC = 02000000;
    public static final int IN_NONBLOCK_CLOEXEC = 02004000;
    private static final int CLOCK_BOOTTIME = 7;

    static {
        Native.register(KernelCalls.class, "libc.so.6");
    }

    private KernelCalls() {}

    /** Memory that these functions can read and write, all zero. It is Java's own, so no thread is needed to free it. */
    public static ByteBuffer memory(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }

    /** Where a direct buffer's position is in memory. The caller keeps the buffer as long as the address is used. */
    static long address(ByteBuffer memory) {
        return Pointer.nativeValue(Native.getDirectBufferPointer(memory.slice()));
    }

    /** The result of a call, or its failure with the kernel's words. Call it on the thread of the call. */
    public static long checked(long result) throws IOException {
        if (result < 0) {
            throw new IOException(reason());
        }
        return result;
    }

    /** Why the last call of this thread has failed, as errno(3) numbers it. */
    public static int error() {
        return Native.getLastError();
    }

    /** The same in the kernel's words. */
    public static String reason() {
        return strerror(error());
    }

    public static native int open(String path, int flags);

    static native int ioctl(int descriptor, long request, long argument);

    public static native int close(int descriptor);

    /** Returns the end to read from and the end to write to. */
    public static native int pipe2(int[] ends, int flags);

    static native int poll(ByteBuffer descriptors, long count, int milliseconds);

    static native int eventfd(int count, int flags);

    public static native int inotify_init1(int flags);

    public static native int inotify_add_watch(int descriptor, String path, int mask);

    public static native int inotify_rm_watch(int descriptor, int watch);

    public static native long read(int descriptor, ByteBuffer bytes, long count);

    static native long write(int descriptor, ByteBuffer bytes, long count);

    static native int socket(int domain, int type, int protocol);

    static native int setsockopt(int descriptor, int level, int option, ByteBuffer value, int length);

    static native long send(int descriptor, ByteBuffer bytes, long count, int flags);

    static native long recv(int descriptor, ByteBuffer bytes, long count, int flags);

    public static native String strerror(int error);

    private static native int clock_gettime(int clock, ByteBuffer time);

    static native int madvise(long address, long length, int advice);

    /** How long this machine has been running. It needs no file in {@code /proc}, where the units see processes alone. */
    public static Duration sinceBoot() {
        ByteBuffer time = memory(2 * Long.BYTES);
        int ignored = clock_gettime(CLOCK_BOOTTIME, time);
        return Duration.ofSeconds(time.getLong(0), time.getLong(Long.BYTES));
    }
}
