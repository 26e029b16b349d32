package io.edgeplug.soak;

import jnr.ffi.LibraryLoader;

/** What the suite calls of libc, for which Java has no call. */
@SuppressWarnings("MemberName") // jnr-ffi looks functions up by these names
interface Libc {

    int SIGHUP = 1;
    int O_WRONLY_NONBLOCK = 04001;

    Libc INSTANCE = LibraryLoader.create(Libc.class).library("c").load();

    int kill(int pid, int signal);

    int mkfifo(String path, int mode);

    int open(String path, int flags);

    int close(int descriptor);

    long syscall(long number, long first, long second, long third);
}
