package io.edgeplug.system.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;

/**
 * What stat(2) says of a file.
 *
 * @param node the number of a device node, as {@code st_rdev} has it
 */
record FileStatus(PathRule.Status rights, long inode, long node) {

    private static final String LOOK = "unix:mode,uid,gid,nlink,dev,ino,rdev";

    static FileStatus of(Path file, LinkOption... options) throws IOException {
        Map<String, Object> found = Files.readAttributes(file, LOOK, options);
        PathRule.Status rights = new PathRule.Status(
                (int) number(found, "mode"),
                number(found, "uid"),
                number(found, "gid"),
                number(found, "nlink"),
                number(found, "dev"),
                0);
        return new FileStatus(rights, number(found, "ino"), number(found, "rdev"));
    }

    private static long number(Map<String, Object> found, String name) {
        return found.get(name) instanceof Number number ? number.longValue() : 0;
    }

    FileKind kind() {
        return FileKind.ofMode(rights.mode());
    }

    /** The major and minor numbers of a device node. */
    String number() {
        return number(node);
    }

    /** The major and minor numbers, as in {@code 188:0}. */
    static String number(long device) {
        // gnu_dev_major and gnu_dev_minor of glibc split the number in this way.
        long major = ((device >>> 8) & 0xfff) | ((device >>> 32) & ~0xfffL);
        long minor = (device & 0xff) | ((device >>> 12) & ~0xffL);
        return major + ":" + minor;
    }

    /** Whether this is the file to which a path has led. */
    boolean isOf(Destination last) {
        return rights.device() == last.device()
                && inode == last.inode()
                && kind() == last.kind()
                && (!kind().isNode() || number().equals(last.number()));
    }
}
