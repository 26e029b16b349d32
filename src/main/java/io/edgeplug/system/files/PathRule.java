package io.edgeplug.system.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/**
 * The kernel's rule on who can make a name in a directory lead elsewhere. It is the only such rule of edgeplug, for the
 * daemon and for all commands.
 *
 * <p>Its source is path_resolution(7), inode(7) and the kernel's {@code fs/namei.c}:
 *
 * <ul>
 *   <li>Names in a directory are changed by users who can write to it, and by its owner, who can give himself that right.
 *   <li>In a sticky directory, a name is removed or replaced only by root, by the owner of the directory, and by the
 *       owner of the file of that name ({@code check_sticky}). So the name is as safe as these owners.
 *   <li>A link in a sticky directory to which anyone can write is followed only if it belongs to the user who follows it,
 *       or to the owner of the directory ({@code may_follow_link}; see protected_symlinks in proc_sys_fs(5)). This rule
 *       asks for it whatever the kernel's setting is.
 *   <li>A user can move a file or a link of another user from an own directory into a sticky one, and also a directory
 *       to which that user can write. A directory has to be writable for that ({@code vfs_rename}), because its parent
 *       changes.
 *   <li>A user can give a file of another user one more name ({@code may_linkat}), unless protected_hardlinks is set. So
 *       a file with several names may have been put into a sticky directory by anyone. That never holds for directories.
 *   <li>A user can mount a file system in user space over an own file (fuse(4)). With {@code allow_other}, its program can
 *       show any owner to root. The kernel knows the user of the program ({@code user_id}). In a sticky directory, no mount is
 *       trusted, because the file under it may belong to anyone.
 * </ul>
 *
 * <p>Trusted are root, the user of this process, and the owner of the whole tree. Root trusts no group: if a directory
 * has an access control list, its permissions of the group stand for all users on that list. Another user trusts the own
 * group, which on most systems has no other member.
 *
 * @param uid the user of this process
 * @param gid the group of that user
 * @param treeOwner the owner of the directory where the paths begin
 */
record PathRule(long uid, long gid, long treeOwner) {

    private static final int STICKY = 01000;
    private static final int WRITABLE_BY_GROUP = 0020;
    private static final int WRITABLE_BY_ALL = 0002;

    /**
     * What lstat(2) says of a directory or of an entry.
     *
     * @param server the user whose program says this, see fuse(4); 0 if the kernel does
     */
    record Status(int mode, long uid, long gid, long names, long device, long server) {

        Status shownBy(long user) {
            return new Status(mode, uid, gid, names, device, user);
        }
    }

    /** Read once, because this process stays who it is, and each Allocate asks. */
    private static final class OfThisProcess {
        private static final long UID = number("uid");
        private static final long GID = number("gid");

        private static long number(String name) {
            try {
                return PathRule.number(Path.of("/proc/self"), name);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** A way in which others can make a name lead elsewhere. */
    enum Breach {
        /** The entry is the root of a file system that another user's program shows, which says who owns a file. */
        SERVER,
        /** The directory belongs to another user. */
        OWNER,
        /** The directory is not sticky, and anyone can write to it. */
        ANYONE,
        /** The directory is not sticky, and a group can write to it. */
        GROUP,
        /** The directory is sticky, and the entry belongs to another user. */
        ENTRY_OWNER,
        /** The directory is sticky, and the entry is a link that the kernel does not follow there. */
        LINK,
        /** The directory is sticky, and the entry has more names. */
        NAMES,
        /** The directory is sticky, and the entry is the root of another file system. */
        MOUNT,
        /** The directory is sticky, and the entry is no directory that is closed to others: they may have moved it there. */
        MOVED
    }

    /** The user of this process. */
    static long ownUid() {
        return OfThisProcess.UID;
    }

    /** The rule for this process, in the tree below a directory. */
    static PathRule ofThisProcess(Path root) throws IOException {
        return new PathRule(OfThisProcess.UID, OfThisProcess.GID, number(root, "uid"));
    }

    private static int number(Path file, String name) throws IOException {
        return (Integer) Files.getAttribute(file, "unix:" + name);
    }

    /** Finds all ways in which the name of that entry in that directory can be made to lead elsewhere. */
    Set<Breach> breaches(Status directory, Status entry) {
        boolean isOpen = isOpen(directory);
        Set<Breach> found = EnumSet.noneOf(Breach.class);
        // A program that does not hide its user is found by the owner of its files.
        if (!isTrusted(entry.server) && entry.uid != entry.server) {
            found.add(Breach.SERVER);
        }
        if (!isTrusted(directory.uid)) {
            found.add(Breach.OWNER);
        }
        if (!isOpen) {
            return found;
        }
        if ((directory.mode & STICKY) == 0) {
            found.add(isOpen(directory, WRITABLE_BY_ALL) ? Breach.ANYONE : Breach.GROUP);
            return found;
        }
        if (!isTrusted(entry.uid)) {
            found.add(Breach.ENTRY_OWNER);
        }
        if (FileKind.isLink(entry.mode) && entry.uid != uid && entry.uid != directory.uid) {
            found.add(Breach.LINK);
        }
        if (FileKind.ofMode(entry.mode) != FileKind.DIRECTORY && entry.names > 1) {
            found.add(Breach.NAMES);
        }
        if (entry.device != directory.device) {
            found.add(Breach.MOUNT);
        }
        if (FileKind.ofMode(entry.mode) != FileKind.DIRECTORY || isOpen(entry)) {
            found.add(Breach.MOVED);
        }
        return found;
    }

    private static boolean isOpen(Status file, int permission) {
        return (file.mode & permission) != 0;
    }

    /** Whether others than its owner can write to it. */
    private boolean isOpen(Status file) {
        return isOpen(file, WRITABLE_BY_ALL) || (isOpen(file, WRITABLE_BY_GROUP) && !isOwnGroup(file.gid));
    }

    private boolean isTrusted(long owner) {
        return owner == 0 || owner == uid || owner == treeOwner;
    }

    private boolean isOwnGroup(long group) {
        return uid != 0 && (group == 0 || group == gid);
    }
}
