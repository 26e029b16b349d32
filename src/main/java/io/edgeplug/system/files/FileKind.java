package io.edgeplug.system.files;

import java.util.List;

/** The kind of a file that a path leads to; see inode(7). */
public enum FileKind {
    /** A regular file. */
    FILE(0100000, "a file"),
    /** A directory. */
    DIRECTORY(0040000, "a directory"),
    /** A character device. */
    CHARACTER_DEVICE(0020000, "a character device"),
    /** A block device. */
    BLOCK_DEVICE(0060000, "a block device"),
    /** A named pipe. */
    FIFO(0010000, "a FIFO"),
    /** A Unix socket. */
    SOCKET(0140000, "a socket"),
    /** A kind that only a file system in user space reports. */
    UNKNOWN(0, "of an unknown kind");

    private static final List<FileKind> ALL = List.of(values());

    private static final int S_IFMT = 0170000;
    private static final int S_IFLNK = 0120000;

    private final int type;
    private final String text;

    FileKind(int type, String text) {
        this.type = type;
        this.text = text;
    }

    /** Whether that is the mode of a symbolic link, which has no kind of its own. */
    static boolean isLink(int mode) {
        return (mode & S_IFMT) == S_IFLNK;
    }

    /** The kind of a file with that mode from stat(2). */
    public static FileKind ofMode(int mode) {
        for (FileKind kind : ALL) {
            if (kind.type == (mode & S_IFMT)) {
                return kind;
            }
        }
        return UNKNOWN;
    }

    /** Whether it is a device node, which a container gets as a device and not as a mount. */
    public boolean isNode() {
        return this == CHARACTER_DEVICE || this == BLOCK_DEVICE;
    }

    /** The kind with its article, for a person: {@code a directory}. */
    @Override
    public String toString() {
        return text;
    }
}
