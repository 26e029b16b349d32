package io.edgeplug.linux;

import java.util.concurrent.CompletableFuture;
import jnr.ffi.LibraryLoader;

/** What is called of libc where the JDK has nothing: see open(2), ioctl(2), kill(2), pipe(2), strerror(3). Any thread. */
interface KernelCalls {

    int ENOENT = 2;
    int O_RDWR = 2;
    int O_NOFOLLOW = 0400000;
    int O_CLOEXEC = 02000000;
    int O_PATH = 010000000;
    int SIGKILL = 9;
    int SIGTERM = 15;

    /** Loaded with the first call, for it costs tens of milliseconds and memory that most nodes never need. */
    static KernelCalls load() {
        return Loaded.CALLS;
    }

    int open(String path, int flags);

    int ioctl(int descriptor, long request, long argument);

    int close(int descriptor);

    int kill(int process, int signal);

    /** Gives the end to read from and the end to write to. */
    int pipe2(int[] ends, int flags);

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
