package io.edgeplug.bench;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.systemd.Journal;
import io.edgeplug.system.udev.Uevent;
import io.edgeplug.system.udev.UeventSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;

/**
 * The daemon's parts in a JVM of their own, as small as that of the packages: so the garbage of node and kubelet is not
 * theirs, and they have no more room than on a node. What they are to hear comes through a pipe.
 */
final class PartsJvm implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 30;

    /** Instead of a number of functions. */
    private static final String FILES = "files";

    private final Process process;

    private PartsJvm(Process process) {
        this.process = process;
    }

    /**
     * Starts them on a {@link BigNode}.
     *
     * @param root of the node
     * @param directory for their files
     * @param functions of which each PF's VFs are a resource; 0 where all VFs are one
     */
    static PartsJvm start(Path root, Path directory, int functions, Duration settle) throws IOException {
        return start(root, directory, String.valueOf(functions), settle);
    }

    /** Starts them on a node of files, with the classes of {@link FileFigures}. */
    static PartsJvm startWithFiles(Path root, Path directory, Duration settle) throws IOException {
        return start(root, directory, FILES, settle);
    }

    private static PartsJvm start(Path root, Path directory, String classes, Duration settle) throws IOException {
        return new PartsJvm(ChildJvm.start(
                List.of(), PartsJvm.class, List.of(root.toString(), directory.toString(), classes, settle.toString())));
    }

    /** Tells of a function, and returns when it did. */
    long tell(String action, PciAddress address) throws IOException {
        byte[] line = (action + " /devices/pci0000:00/" + address + " pci\n").getBytes(StandardCharsets.UTF_8);
        OutputStream pipe = process.getOutputStream();
        long now = System.nanoTime();
        pipe.write(line);
        pipe.flush();
        return now;
    }

    @Override
    public void close() throws IOException, InterruptedException {
        process.getOutputStream().close();
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException("the daemon's parts did not end");
        }
        if (process.exitValue() != 0) {
            throw new IOException("the daemon's parts failed");
        }
    }

    /** Runs them until the pipe ends. */
    public static void main(String[] args) throws Exception {
        Journal.toStderr(Level.SEVERE);
        List<DeviceClass> classes = args[2].equals(FILES) ? FileFigures.classes() : classes(Integer.parseInt(args[2]));
        Piped uevents = new Piped();
        try (Parts parts =
                Parts.open(Sysfs.at(Path.of(args[0])), Path.of(args[1]), classes, uevents, Duration.parse(args[3]))) {
            uevents.awaitEnd();
        }
    }

    private static List<DeviceClass> classes(int functions) {
        return functions > 0 ? BigNode.byPf(functions) : List.of(BigNode.allVfs());
    }

    /** Uevents that come through the pipe, a line each. */
    private static final class Piped implements UeventSource {

        private final BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        private final CountDownLatch end = new CountDownLatch(1);

        void awaitEnd() throws InterruptedException {
            end.await();
        }

        @Override
        public Optional<Uevent> next() {
            try {
                Optional<Uevent> next = Optional.ofNullable(lines.readLine())
                        .map(line -> line.split(" ", -1))
                        .map(words -> new Uevent(words[0], words[1], words[2]));
                if (next.isEmpty()) {
                    end.countDown();
                }
                return next;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            // once the pipe has ended
        }
    }
}
