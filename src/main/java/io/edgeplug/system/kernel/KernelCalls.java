package io.edgeplug.system.kernel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;

/**
 * Functions of libc that the JDK does not have: see open(2), ioctl(2), kill(2), pipe(2), poll(2), eventfd(2),
 * netlink(7), inotify(7), strerror(3), clock_gettime(2), madvise(2). Any thread.
 */
@SuppressWarnings("MemberName") // jnr-ffi looks functions up by these names
public interface KernelCalls {

    int ENOENT = 2;
    int EBADF = 9;
    int ENOTDIR = 20;
    int ENOSPC = 28;
    int O_RDONLY = 0;
    int O_RDWR = 2;
    /** Another bit on Arm, where the bit of x86 is O_LARGEFILE; see asm/fcntl.h. */
    int O_NOFOLLOW = System.getProperty("os.arch").equals("aarch64") ? 0100000 : 0400000;

    int O_CLOEXEC = 02000000;
    int O_PATH = 010000000;
    int SIGKILL = 9;
    int SIGTERM = 15;
    short POLLIN = 0x1;
    short POLLPRI = 0x2;
    short POLLNVAL = 0x20;
    int EFD_CLOEXEC = 02000000;
    int IN_NONBLOCK_CLOEXEC = 02004000;
    int CLOCK_BOOTTIME = 7;

    /**
     * The library is loaded with the first call, because it costs tens of milliseconds and memory that most nodes never
     * need.
     */
    static KernelCalls load() {
        return Loaded.CALLS;
    }

    /**
     * Memory that these functions can read and write, all zero.
     *
     * <p>It is Java's own memory. jnr-ffi's memory needs a thread to free it, which would slow down each start.
     */
    static Pointer memory(KernelCalls calls, int bytes) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
        return Pointer.wrap(Runtime.getRuntime(calls), buffer);
    }

    /** The result of a call, or its failure with the kernel's words. Call it on the thread of the call. */
    static long checked(KernelCalls calls, long result) throws IOException {
        if (result < 0) {
            throw new IOException(calls.strerror(Runtime.getRuntime(calls).getLastError()));
        }
        return result;
    }

    int open(String path, int flags);

    int ioctl(int descriptor, long request, long argument);

    int close(int descriptor);

    int kill(int process, int signal);

    /** Returns the end to read from and the end to write to. */
    int pipe2(int[] ends, int flags);

    int poll(Pointer descriptors, long count, int milliseconds);

    int eventfd(int count, int flags);

    int inotify_init1(int flags);

    int inotify_add_watch(int descriptor, String path, int mask);

    int inotify_rm_watch(int descriptor, int watch);

    long read(int descriptor, Pointer bytes, long count);

    long write(int descriptor, Pointer bytes, long count);

    int socket(int domain, int type, int protocol);

    int setsockopt(int descriptor, int level, int option, Pointer value, int length);

    long send(int descriptor, Pointer bytes, long count, int flags);

    long recv(int descriptor, Pointer bytes, long count, int flags);

    String strerror(int error);

    int clock_gettime(int clock, Pointer time);

    int madvise(long address, long length, int advice);

    /** How long this machine has been running. It needs no file in {@code /proc}, where the units see processes alone. */
    static Duration sinceBoot() {
        KernelCalls calls = load();
        Pointer time = memory(calls, 2 * Long.BYTES);
        calls.clock_gettime(CLOCK_BOOTTIME, time);
        return Duration.ofSeconds(time.getLong(0), time.getLong(Long.BYTES));
    }

    /**
     * Loads the library on a thread of its own. Loading unpacks or reads files, which fails on an interrupted thread,
     * and after a failure nobody could load it again.
     */
    private static KernelCalls loadAnyhow() {
        return CompletableFuture.supplyAsync(
                        KernelCalls::loadNow,
                        loading -> Thread.ofPlatform()
                                .name("loading libc")
                                .daemon()
                                .start(loading))
                .join();
    }

    private static KernelCalls loadNow() {
        // Making classes at run time would cost more than their calls save.
        System.setProperty("jnr.ffi.asm.enabled", "false");
        return LibraryLoader.create(KernelCalls.class)
                .library("c")
                .failImmediately()
                .load();
    }

    /** Holds the library after the first request. */
    final class Loaded {

        private static final KernelCalls CALLS = loadAnyhow();

        private Loaded() {}
    }
}
