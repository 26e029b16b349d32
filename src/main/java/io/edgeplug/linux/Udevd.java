package io.edgeplug.linux;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Whether udevd runs here, and whether it has edgeplug's rules. */
final class Udevd {

    private static final String CONTROL = "/run/udev/control";

    /** The file of this thread and not of the process, because each thread has a network namespace; see proc(5). */
    private static final Path SOCKETS = Path.of("/proc/thread-self/net/unix");

    private static final String LISTENING = "00010000";

    /** In udev's order: the first file with a name hides the others. */
    private static final List<String> RULES = List.of(
            "/etc/udev/rules.d",
            "/run/udev/rules.d",
            "/usr/local/lib/udev/rules.d",
            "/usr/lib/udev/rules.d",
            "/lib/udev/rules.d");

    private Udevd() {}

    /**
     * The inode of udevd's control socket, on which systemd listens until it has started udevd; empty if nobody
     * listens.
     *
     * <p>The inode differs after udevd was stopped and started, when events of the kernel were missed. The file of the
     * socket says nothing, because it stays when udevd is killed.
     */
    static Optional<String> socket() {
        if (!Files.exists(Path.of(CONTROL))) {
            return Optional.empty();
        }
        try (Stream<String> lines = Files.lines(SOCKETS, StandardCharsets.ISO_8859_1)) {
            return lines.filter(line -> line.endsWith(CONTROL))
                    .map(line -> line.strip().split("\\s+", -1))
                    .filter(fields -> fields.length == 8 && fields[3].equals(LISTENING))
                    .map(fields -> fields[6])
                    .findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Whether that file of rules is installed, and not masked by a link to /dev/null. */
    static boolean hasRules(String name) {
        return RULES.stream()
                .map(directory -> Path.of(directory, name))
                .filter(Files::exists)
                .findFirst()
                .filter(Files::isRegularFile)
                .isPresent();
    }
}
