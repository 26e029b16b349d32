package io.edgeplug.system.kernel;

import jnr.ffi.LibraryLoader;
import jnr.ffi.Pointer;

/** What tests call of libc: namespaces, netlink sockets, inotify. */
@SuppressWarnings("MemberName") // jnr-ffi looks functions up by these names
public interface TestCalls {

    int CLONE_NEWNS = 0x00020000;
    int CLONE_NEWNET = 0x40000000;
    long MS_REC_PRIVATE = (1 << 14) | (1 << 18);
    int AF_NETLINK = 16;
    int SOCK_RAW = 3;
    int NETLINK_KOBJECT_UEVENT = 15;
    int IN_NONBLOCK = 04000;
    int IN_ACCESS = 0x1;
    int IN_OPEN = 0x20;

    static TestCalls load() {
        return LibraryLoader.create(TestCalls.class).library("c").load();
    }

    int unshare(int flags);

    int mount(String source, String target, String type, long flags, long data);

    int socket(int domain, int type, int protocol);

    long sendto(int socket, Pointer bytes, long count, int flags, Pointer address, int addressBytes);

    int inotify_init1(int flags);

    int inotify_add_watch(int inotify, String path, int mask);

    long read(int descriptor, Pointer bytes, long count);

    int close(int descriptor);
}
