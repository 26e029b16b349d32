package io.edgeplug.system.udev;

import io.edgeplug.system.files.Inotify;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Whether udevd runs here, and whether it has edgeplug's rules. Reports when its control socket comes or goes: an inotify
 * descriptor for a poll with others. One thread at a time.
 */
final class Udevd {

    private static final String DIRECTORY = "/run/udev";
    private static final String CONTROL = DIRECTORY + "/control";

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

    /** The rest is read when the poll reports it again. */
    private static final int MAX_READS = 16;

    private final Inotify inotify;
    private boolean isWatching;

    private Udevd(Inotify inotify) {
        this.inotify = inotify;
    }

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
        } catch (IOException | UncheckedIOException e) {
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

    /** Begins to watch, if the directory exists. */
    static Udevd watch() throws IOException {
        Udevd watch = new Udevd(Inotify.open());
        watch.follow();
        return watch;
    }

    /** Watches the directory that has the name now. */
    void follow() {
        isWatching = inotify.add(DIRECTORY, Inotify.NAMES) >= 0;
    }

    boolean isWatching() {
        return isWatching;
    }

    int descriptor() {
        return inotify.descriptor();
    }

    /** Whether any event since the last call was about the socket. There may be more events. */
    boolean hasChanged() {
        boolean changed = false;
        for (int i = 0; i < MAX_READS; i++) {
            List<Inotify.Event> events = inotify.read();
            if (events.isEmpty()) {
                break;
            }
            // An event without a name means that the directory is gone or that events were lost.
            changed |=
                    events.stream().anyMatch(event -> event.name().isEmpty() || CONTROL.endsWith("/" + event.name()));
        }
        return changed;
    }

    void close() {
        inotify.close();
    }
}
