package io.edgeplug.system.files;

import io.edgeplug.system.kernel.Ioctl;
import io.edgeplug.system.kernel.Kernel;
import io.edgeplug.system.kernel.KernelReason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The kernel's files below a root directory: those of the running kernel for {@code /}, or those of a captured or
 * simulated node.
 *
 * <p>Paths are given from the root, such as {@code sys/bus/pci/devices}. A missing file is absent and never an error: a
 * device may go while it is read, and its attributes then answer ENOENT or ENODEV.
 */
public final class Sysfs {

    /** The limit for reading an attribute. The kernel's have one page, but another file may have any size. */
    public static final int MAX_ATTRIBUTE_BYTES = 4096;

    private static final Path TREE = Path.of("sys");

    private final Path root;
    private final Kernel kernel;
    private final Consumer<Look> witness;
    private final Consumer<String> announcement;
    private final @Nullable Trail trail;
    private final Consumer<String> onFar;

    private Sysfs(
            Path root,
            Kernel kernel,
            Consumer<Look> witness,
            Consumer<String> announcement,
            @Nullable Trail trail,
            Consumer<String> onFar) {
        this.root = root;
        this.kernel = kernel;
        this.witness = witness;
        this.announcement = announcement;
        this.trail = trail;
        this.onFar = onFar;
    }

    /** The tree under {@code root}. */
    public static Sysfs at(Path root) {
        return at(root, Kernel.running());
    }

    /** The tree under {@code root}, with the side that acts when a file is written to. */
    public static Sysfs at(Path root, Kernel kernel) {
        return new Sysfs(root, kernel, look -> {}, path -> {}, null, PathWalk.WAIT);
    }

    /** The same tree, which reports every look at an existing file to {@code witness}. */
    public Sysfs witnessedBy(Consumer<Look> witness) {
        return new Sysfs(root, kernel, witness, announcement, trail, onFar);
    }

    /** The same tree, which announces each path before it looks there, because the kernel may block the look. */
    public Sysfs announcing(Consumer<String> announcement) {
        return new Sysfs(root, kernel, witness, announcement, trail, onFar);
    }

    /** The same tree, which first watches the paths of {@link PathGlob#files} and {@link #follow}; null for nothing. */
    public Sysfs on(@Nullable Trail trail) {
        return new Sysfs(root, kernel, witness, announcement, trail, onFar);
    }

    /**
     * The same tree, where {@link #follow} returns at once. It throws a {@link FarPathException} where a path leads
     * through a file system that may never answer, or through a directory of a user whose name nobody has looked up.
     */
    public Sysfs nearOnly() {
        return new Sysfs(root, kernel, witness, announcement, trail, PathWalk.REFUSE);
    }

    /**
     * The same tree, which tells the mount point of each file system that may never answer, before {@link #follow} and
     * {@link PathGlob#files} look there. Instead, the listener may throw a {@link FarPathException}.
     */
    public Sysfs onFar(Consumer<String> listener) {
        return new Sysfs(root, kernel, witness, announcement, trail, listener);
    }

    /** Whether the node was captured. A captured node has only the files that a scan reads. */
    public boolean isCaptured() throws IOException {
        return !exists("dev/null");
    }

    /** The path of a file of the node, such as {@code lib/firmware}, for this process; it may not exist. */
    public Path locate(String path) {
        return root.resolve(path);
    }

    /**
     * Reads an attribute as text, without its final newline.
     *
     * @throws IOException if it exists and cannot be read; the message ends with the kernel's reason
     */
    public Optional<String> read(String path) throws IOException {
        return readBytes(path, MAX_ATTRIBUTE_BYTES).map(bytes -> new String(bytes, StandardCharsets.UTF_8).strip());
    }

    /**
     * Reads the first bytes of a binary attribute, at most {@code length}.
     *
     * @throws IOException as {@link #read}
     */
    public Optional<byte[]> readBytes(String path, int length) throws IOException {
        try (InputStream in = Files.newInputStream(resolve(path))) {
            byte[] content = in.readNBytes(length);
            witness.accept(new Look.Read(path, content));
            return Optional.of(content);
        } catch (IOException e) {
            return absentOrThrow("read", path, e, Optional.empty());
        }
    }

    /**
     * Writes an attribute, and returns when the kernel has acted, which may be never.
     *
     * @throws IOException if it does not exist, refuses the value, or leads out of {@code sys}; the message ends with
     *     the reason
     */
    public void write(String path, String value) throws IOException {
        try {
            Path attribute = resolve(path).toRealPath();
            if (!attribute.startsWith(root.toRealPath().resolve(TREE))) {
                throw new IOException("leads out of /sys, to " + attribute);
            }
            kernel.write(attribute, value.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new IOException("write " + Path.of(path).getFileName() + ": " + KernelReason.words(e), e);
        }
    }

    /**
     * Calls a device node, such as {@code dev/dfl-fme.0}, which may take for ever; see ioctl(2).
     *
     * @throws IOException if it cannot be opened or refuses; the message ends with the reason
     */
    public void ioctl(String node, Ioctl call) throws IOException {
        try {
            kernel.ioctl(resolve(node), call);
        } catch (IOException e) {
            throw new IOException("ioctl /" + node + ": " + KernelReason.words(e), e);
        }
    }

    /** Whether somebody has a device node such as {@code dev/vfio/34} exclusively. Opens it for a moment. */
    public boolean isBusy(String node) throws IOException {
        try {
            kernel.open(resolve(node));
            return false;
        } catch (IOException e) {
            return KernelReason.of(e) == KernelReason.BUSY || absentOrThrow("open", node, e, false);
        }
    }

    /** Reports what the kernel has said without a file. */
    public void note(String path, String line) {
        witness.accept(new Look.Noted(path, line));
    }

    /** The last name of a symbolic link's target: {@code vfio-pci} for a function's {@code driver}. */
    public Optional<String> linkName(String path) throws IOException {
        return linkTarget(path).map(target -> target.substring(target.lastIndexOf('/') + 1));
    }

    /** A symbolic link's target as it is written, relative to the link; absent if the file is no link. */
    public Optional<String> linkTarget(String path) throws IOException {
        return see("readlink", path, file -> Files.readSymbolicLink(file).toString());
    }

    /** The names in a directory, sorted; none if it is absent. */
    public List<String> names(String directory) throws IOException {
        return names(directory, name -> true, Integer.MAX_VALUE);
    }

    /** The wanted names, up to a limit, because a directory may have any number. */
    public List<String> names(String directory, Predicate<String> isWanted, int most) throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(resolve(directory))) {
            for (Path entry : entries) {
                String name = String.valueOf(entry.getFileName());
                if (names.size() < most && isWanted.test(name)) {
                    names.add(name);
                }
            }
        } catch (DirectoryIteratorException e) {
            return absentOrThrow("list", directory, Objects.requireNonNull(e.getCause()), List.of());
        } catch (IOException e) {
            return absentOrThrow("list", directory, e, List.of());
        }
        Collections.sort(names);
        witness.accept(new Look.Listed(directory, names));
        return names;
    }

    /** Has the directory watched for its replacement, and for files with such names; it may not exist. */
    public void watch(String directory, NameGlob names) {
        if (trail != null || !onFar.equals(PathWalk.WAIT)) {
            try {
                Path ignored = resolve("." + directory);
                new PathWalk(root, trail, onFar).follow(directory, names);
            } catch (IOException | InvalidPathException e) {
                // The path is watched as far as it could be followed.
            }
        }
    }

    /** Whether there is a file, a link or a directory at {@code path}; there is none behind a loop of links. */
    public boolean exists(String path) throws IOException {
        try {
            Files.readAttributes(resolve(path), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            witness.accept(new Look.Seen(path));
            return true;
        } catch (IOException e) {
            return KernelReason.of(e) != KernelReason.LOOP && absentOrThrow("stat", path, e, false);
        }
    }

    /** The kind of file that {@code path} leads to; absent if there is none. Nothing is opened. */
    public Optional<FileKind> kind(String path) throws IOException {
        return see("stat", path, file -> FileKind.ofMode((Integer) Files.getAttribute(file, "unix:mode")));
    }

    /** The destination of {@code path}; absent if there is none. Nothing is opened. */
    public Optional<Destination> follow(String path) throws IOException {
        return see("stat", path, file -> new PathWalk(root, trail, onFar).follow(path));
    }

    /** Whether a path leads, without links, to the file that was there. If not, {@link #follow} tells more. */
    public boolean isStill(String path, Destination last) throws IOException {
        return path.equals(last.path()) && last.isAt(resolve(path.substring(1)), PathWalk.far(onFar));
    }

    /** A name that the locale cannot encode stands for no file. The service runs with UTF-8. */
    private Path resolve(String path) throws IOException {
        announcement.accept(path);
        try {
            return root.resolve(path);
        } catch (InvalidPathException e) {
            throw new NoSuchFileException(path);
        }
    }

    /** Looks at a file without reading it. */
    private interface Seeing<T> {
        T see(Path file) throws IOException;
    }

    private <T> Optional<T> see(String call, String path, Seeing<T> seeing) throws IOException {
        try {
            T found = seeing.see(resolve(path));
            witness.accept(new Look.Seen(path));
            return Optional.of(found);
        } catch (NotLinkException | InvalidPathException e) {
            // A link's target may have any bytes.
            return Optional.empty();
        } catch (IOException e) {
            return absentOrThrow(call, path, e, Optional.empty());
        }
    }

    private <T> T absentOrThrow(String call, String path, IOException e, T absent) throws IOException {
        KernelReason reason = KernelReason.of(e);
        // Attributes of an interface answer EINVAL while it is being removed or has no value; see netdev_show in
        // net/core/net-sysfs.c.
        boolean isOfInterface = path.contains("/net/");
        if (reason == KernelReason.ABSENT || (reason == KernelReason.INVALID && isOfInterface)) {
            return absent;
        }
        String problem = call + " " + Path.of(path).getFileName() + ": " + KernelReason.words(e);
        witness.accept(new Look.Failed(path, problem));
        throw new IOException(problem, e);
    }
}
