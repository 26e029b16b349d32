package io.edgeplug.cli.options;

import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.system.files.ForeignFile;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The node to look at: a directory, or a captured tree, which is unpacked until this is closed. */
public final class Sysroot implements AutoCloseable {

    /** Twice as much as a capture writes. */
    private static final long MAX_TREE = 64 << 20;

    private final Path root;
    private final @Nullable ScratchDirectory unpacked;
    private @Nullable LongLook looks;

    private Sysroot(Path root, @Nullable ScratchDirectory unpacked) {
        this.root = root;
        this.unpacked = unpacked;
    }

    /**
     * Opens the node.
     *
     * @throws IOException if there is neither a node's root directory nor a tree; anything else would look like a node
     *     without devices
     */
    public static Sysroot open(Path place) throws IOException {
        if (Files.isDirectory(place)) {
            if (!Files.isDirectory(place.resolve("sys"))) {
                throw new IOException(place + ": has no directory sys, so it is no node; a node's root has one");
            }
            return new Sysroot(place, null);
        }
        if (!Files.exists(place)) {
            throw new IOException(place + ": no such file or directory, so no node to look at");
        }
        ScratchDirectory scratch = ScratchDirectory.ofSmallFiles("edgeplug-sysroot");
        try {
            SimulatedNode.unpack(text(place), scratch.path()).close();
            return new Sysroot(scratch.path(), scratch);
        } catch (IllegalArgumentException | CharacterCodingException e) {
            scratch.close();
            throw new IOException(place + ": not a captured node: " + e.getMessage(), e);
        } catch (IOException e) {
            scratch.close();
            throw e;
        }
    }

    /** Reads a captured tree. A device or a pipe may have no end, or never begin. */
    private static String text(Path place) throws IOException {
        try (InputStream in = ForeignFile.openAnywhere(place, MAX_TREE)) {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(in.readAllBytes()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException(place + ": cannot be read as a captured node: it " + e.getMessage(), e);
        }
    }

    /** The directory that stands for {@code /}. */
    public Path root() {
        return root;
    }

    /** Whether it is the node that this runs on, whose kubelet and programs may be used. */
    public boolean isThisNode() throws IOException {
        return Files.isSameFile(root, Path.of(RunOptions.DEFAULT_SYSROOT));
    }

    /** The path of the kubelet's directory for this process; a captured node has none. */
    public Optional<Path> kubeletDir(Path configured) throws IOException {
        if (isThisNode()) {
            return Optional.of(configured);
        }
        Path absolute = configured.toAbsolutePath();
        return unpacked != null
                ? Optional.empty()
                : Optional.of(root.resolve(absolute.getRoot().relativize(absolute)));
    }

    /** The same node, where a person is told which file is waited for. */
    Sysroot tellingOfLongLooks(PrintWriter err) {
        looks = new LongLook(err);
        return this;
    }

    public Sysfs sysfs() {
        Sysfs whole = Sysfs.at(root);
        return looks == null ? whole : whole.announcing(looks::begin);
    }

    @Override
    public void close() throws IOException {
        if (looks != null) {
            looks.close();
        }
        if (unpacked != null) {
            unpacked.close();
        }
    }
}
