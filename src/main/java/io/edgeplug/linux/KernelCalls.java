package io.edgeplug.linux;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.CompletableFuture;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;

/**
 * What is called of libc where the JDK has nothing: see open(2), ioctl(2), kill(2), pipe(2), poll(2), eventfd(2), netlink(7),
 * inotify(7), strerror(3). Any thread.
 */
@SuppressWarnings("MemberName") // jnr-ffi looks functions up by these names
interface KernelCalls {

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

    /** Loaded with the first call, for it costs tens of milliseconds and memory that most nodes never need. */
    static KernelCalls load() {
        return Loaded.CALLS;
    }

    /**
     * Memory that these functions can read and write, all zero.
     *
     * <p>Of Java's own: jnr-ffi's has a thread that gives it back, which costs each start more than all else here.
     */
    static Pointer memory(KernelCalls calls, int bytes) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
        return Pointer.wrap(Runtime.getRuntime(calls), buffer);
    }

    int open(String path, int flags);

    int ioctl(int descriptor, long request, long argument);

    int close(int descriptor);

    int kill(int process, int signal);

    /** Gives the end to read from and the end to write to. */
    int pipe2(int[] ends, int flags);

    int poll(Pointer descriptors, long count, int milliseconds);

    int eventfd(int count, int flags);

    int inotify_init1(int flags);

    int inotify_add_watch(int descriptor, String path, int mask);

    int inotify_rm_watch(int descriptor, int watch);

    long read(int descriptor, Pointer bytes, long count);

    long write(int descriptor, Pointer bytes, long count);

    int socket(int domain, int type, int protocol);

    long send(int descriptor, Pointer bytes, long count, int flags);

    long recv(int descriptor, Pointer bytes, long count, int flags);

    String strerror(int error);

    /**
     * On a thread of its own: what loads the library unpacks or reads files, which a thread that is interrupted cannot, and
     * nobody could load it again after that.
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
        // classes made at run time would cost more to make than they save in calls
        System.setProperty("jnr.ffi.asm.enabled", "false");
        return LibraryLoader.create(KernelCalls.class)
                .library("c")
                .failImmediately()
                .load();
    }

    /** Holds it once it was asked for. */
    final class Loaded {

        private static final KernelCalls CALLS = loadAnyhow();

        private Loaded() {}
    }
}
