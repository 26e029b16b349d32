package io.edgeplug.cli;

import io.edgeplug.linux.Sysfs;
import io.edgeplug.simulation.SimulatedNode;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The node to look at: a directory, or a captured tree, which is unpacked until this is closed. */
final class Sysroot implements AutoCloseable {

    private final Path root;
    private final Optional<ScratchDirectory> unpacked;

    private Sysroot(Path root, Optional<ScratchDirectory> unpacked) {
        this.root = root;
        this.unpacked = unpacked;
    }

    /**
     * Opens the node.
     *
     * @throws IOException if there is neither a node's root directory nor a tree; anything else would look like a node
     *     without devices
     */
    static Sysroot open(Path place) throws IOException {
        if (Files.isDirectory(place)) {
            if (!Files.isDirectory(place.resolve("sys"))) {
                throw new IOException(place + ": has no directory sys, so it is no node; a node's root has one");
            }
            return new Sysroot(place, Optional.empty());
        }
        if (!Files.exists(place)) {
            throw new IOException(place + ": no such file or directory, so no node to look at");
        }
        ScratchDirectory scratch = ScratchDirectory.make("edgeplug-sysroot");
        try {
            SimulatedNode.unpack(Files.readString(place), scratch.path()).close();
            return new Sysroot(scratch.path(), Optional.of(scratch));
        } catch (IllegalArgumentException | CharacterCodingException e) {
            scratch.close();
            throw new IOException(place + ": not a captured node: " + e.getMessage(), e);
        } catch (IOException e) {
            scratch.close();
            throw e;
        }
    }

    /** The directory that stands for {@code /}. */
    Path root() {
        return root;
    }

    /** Whether it is the node that this runs on, whose kubelet and programs may be used. */
    boolean isThisNode() throws IOException {
        return Files.isSameFile(root, Path.of(RunOptions.DEFAULT_SYSROOT));
    }

    /** The path of the kubelet's directory for this process; a captured node has none. */
    Optional<Path> kubeletDir(Path configured) throws IOException {
        if (isThisNode()) {
            return Optional.of(configured);
        }
        Path absolute = configured.toAbsolutePath();
        return unpacked.isPresent()
                ? Optional.empty()
                : Optional.of(root.resolve(absolute.getRoot().relativize(absolute)));
    }

    Sysfs sysfs() {
        return Sysfs.at(root);
    }

    @Override
    public void close() throws IOException {
        if (unpacked.isPresent()) {
            unpacked.orElseThrow().close();
        }
    }
}
