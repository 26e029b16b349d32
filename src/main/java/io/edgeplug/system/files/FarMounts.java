package io.edgeplug.system.files;

import io.edgeplug.system.kernel.KernelCalls;
import io.edgeplug.system.kernel.Poll;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Knows the mount points behind which a look may never return, as with NFS without its server, and the users whose programs
 * show files. Any thread may ask.
 *
 * <p>Each time it asks the kernel whether the mounts have changed, which takes microseconds, and reads them only then.
 * So a look knows of a file system that was mounted before it.
 */
final class FarMounts {

    /** The types of file systems that ask no server and no program. Each other one may. */
    private static final Set<String> NEAR = Set.of(
            "bcachefs",
            "btrfs",
            "erofs",
            "exfat",
            "ext2",
            "ext3",
            "ext4",
            "f2fs",
            "iso9660",
            "squashfs",
            "udf",
            "vfat",
            "xfs",
            "zfs",
            "devtmpfs",
            "hugetlbfs",
            "ramfs",
            "rootfs",
            "tmpfs",
            "binfmt_misc",
            "bpf",
            "cgroup",
            "cgroup2",
            "configfs",
            "debugfs",
            "devpts",
            "efivarfs",
            "fusectl",
            "mqueue",
            "nsfs",
            "proc",
            "pstore",
            "securityfs",
            "selinuxfs",
            "sysfs",
            "tracefs");

    /** It stands on other file systems, which may be far. As the root of a container, it has edgeplug itself. */
    private static final String OVERLAY = "overlay";

    private static final String ROOT = "/";

    /** Stands for mount points that are not known. Each of the others is absolute. */
    static final String UNKNOWN = "unknown";

    private static final Set<String> EVERYTHING = Set.of(ROOT, UNKNOWN);

    /** With more far file systems, every file system counts as far. A node has one for each container and volume. */
    static final int MAX = 1 << 12;

    /** The same with longer mount points, in characters. */
    private static final int MAX_TEXT = 1 << 20;

    /** The mounts of the process, whichever thread asks first. */
    private static final String FILE = "/proc/self/mountinfo";

    private static final int POINT = 4;

    /** The number of the file system is the third field. The options of fuse(4) are the last one. */
    private static final Pattern SERVED =
            Pattern.compile("\\d+ \\d+ (\\d+:\\d+) .* - fuse\\S* .*[ ,]user_id=(\\d{1,10})(?:,\\S*)?");

    private static final int MOUNTS = 0;

    private final int descriptor;
    private final Poll poll;

    /** The mount points of far file systems. Guarded by this. */
    private Set<String> points = EVERYTHING;

    /** By the number of a file system, the user whose program shows its files. Guarded by this. */
    private Map<String, Long> servers = Map.of();

    private FarMounts() {
        descriptor = KernelCalls.open(FILE, KernelCalls.O_RDONLY | KernelCalls.O_CLOEXEC);
        poll = Poll.open(1);
        poll.watch(MOUNTS, descriptor, KernelCalls.POLLPRI);
        read();
    }

    /** One for the process, which stays open. */
    private static final class Loaded {
        private static final FarMounts OF_THIS_PROCESS = new FarMounts();
    }

    static FarMounts ofThisProcess() {
        return Loaded.OF_THIS_PROCESS;
    }

    /** The mount points now. */
    synchronized Set<String> now() {
        update();
        return points;
    }

    /** The user whose program shows the files of the file system of that number; 0 if it is the kernel. */
    synchronized long server(String number) {
        update();
        return servers.getOrDefault(number, 0L);
    }

    private void update() {
        poll.await(0);
        if (poll.returned(MOUNTS) != 0 || descriptor < 0) {
            read();
        }
    }

    private void read() {
        Far far = new Far();
        try (Stream<String> lines = Files.lines(Path.of(FILE), StandardCharsets.ISO_8859_1)) {
            servers = servers(lines.peek(far::add));
            points = far.points();
        } catch (IOException | UncheckedIOException e) {
            points = EVERYTHING;
            servers = Map.of();
        }
    }

    /** By the numbers of their file systems, the users of the programs that fuse(4) asks. */
    static Map<String, Long> servers(Stream<String> lines) {
        Map<String, Long> users = new HashMap<>();
        lines.map(SERVED::matcher)
                .filter(Matcher::matches)
                .forEach(line -> users.put(line.group(1), Long.parseLong(line.group(2))));
        return Map.copyOf(users);
    }

    /** The mount points of far file systems among these lines, see proc_pid_mountinfo(5). */
    static Set<String> among(List<String> lines) {
        Far far = new Far();
        lines.forEach(far::add);
        return far.points();
    }

    /** What a table of mounts has of far file systems, read line by line. A line of an overlay has some KB. */
    private static final class Far {

        private final Set<String> found = new HashSet<>();
        private int text;
        private boolean isUnknown;

        void add(String line) {
            String[] fields = line.split(" ", POINT + 2);
            int type = line.indexOf(" - ");
            if (isUnknown || fields.length < POINT + 2 || type < 0) {
                isUnknown = true;
                return;
            }
            String point = Mounts.plain(fields[POINT]);
            if (isFar(line.substring(type + 3).split(" ", 2)[0], point) && found.add(point)) {
                text += point.length();
            }
            isUnknown = found.size() > MAX || text > MAX_TEXT;
        }

        Set<String> points() {
            return isUnknown ? EVERYTHING : Set.copyOf(found);
        }
    }

    private static boolean isFar(String type, String point) {
        return !NEAR.contains(type) && !(type.equals(OVERLAY) && point.equals(ROOT));
    }
}
