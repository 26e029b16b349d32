package io.edgeplug.model.device;

import io.edgeplug.system.files.Destination;
import io.edgeplug.system.files.FileKind;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * One or several files of a class of kind {@code path}. Its ID is made of the file name of the first.
 *
 * @param files at least one
 * @param group the group that names several files together; empty for a single file
 * @param owner the only resource that may have it, which shares its files with others; empty if any may
 */
public record PathDevice(
        String id, List<File> files, Optional<PathGroup> group, Optional<ResourceName> owner, Health health)
        implements Device {

    /**
     * The kubelet would accept any length. But a container has all its IDs in one variable of at most 128 KiB, which
     * holds a thousand of these. With the number of a share added, an ID also stays within the 128 bytes that are read
     * of each ID in the kubelet's notes.
     */
    static final int MAX_ID = 120;

    public PathDevice {
        files = List.copyOf(files);
    }

    /** A device that any class may take. */
    public PathDevice(String id, List<File> files, Optional<PathGroup> group, Health health) {
        this(id, files, group, Optional.empty(), health);
    }

    /** The same device with another ID, which is shortened if it is too long. */
    public PathDevice withId(String other) {
        return new PathDevice(ShortName.of(other, MAX_ID), files, group, owner, health);
    }

    public PathDevice withFiles(List<File> others) {
        return new PathDevice(id, others, group, owner, health);
    }

    /** The same files as a device of that resource only. */
    public PathDevice ownedBy(ResourceName resource) {
        return new PathDevice(id, files, group, Optional.of(resource), health);
    }

    /** The ID for that first path: the name of the file, shortened with a hash at its end if it is too long. */
    public static String id(String path) {
        return ShortName.of(path.substring(path.lastIndexOf('/') + 1), MAX_ID);
    }

    /**
     * A file.
     *
     * @param path absolute, as the configuration names it and the node sees it
     * @param found where the path leads; empty if the file is missing
     * @param origin the device behind a node; empty if it is not known
     */
    public record File(String path, Optional<Destination> found, String origin) {

        /** A file of which no device behind it is known. */
        public File(String path, Optional<Destination> found) {
            this(path, found, "");
        }

        /** Empty if the file is missing. */
        public Optional<FileKind> kind() {
            return found.map(Destination::kind);
        }

        /** The resolved path for the container runtime, which nobody can redirect. */
        public String hostPath() {
            return found.map(Destination::path).orElse(path);
        }

        /** Whether the container gets it as a device and not as a mount. */
        public boolean isNode() {
            return kind().filter(FileKind::isNode).isPresent();
        }

        /** Device nodes of a simulated node are files. */
        private Optional<IdentifiedNode> identity() {
            return found.filter(there -> there.kind().isNode() || there.path().startsWith("/dev/"))
                    .map(there -> new IdentifiedNode(there.path(), there.number(), origin));
        }

        /** The reason why a file that has changed its kind cannot be given; empty if the kind is the same. */
        public Optional<String> change(FileKind was, FileKind now) {
            return was == now ? Optional.empty() : Optional.of(path + " is " + now + " now and was " + was);
        }
    }

    /** The paths of its files that exist, for a person. */
    public String members() {
        return files.stream()
                .filter(file -> file.found().isPresent())
                .map(File::path)
                .collect(Collectors.joining(" + "));
    }

    /** The path of the first file. */
    public String path() {
        return files.getFirst().path();
    }

    @Override
    public List<IdentifiedNode> identities() {
        return files.stream().flatMap(file -> file.identity().stream()).toList();
    }

    @Override
    public boolean mayLeadElsewhere() {
        return files.stream()
                .anyMatch(file -> file.identity()
                        .filter(node -> !node.origin().isEmpty() || !node.path().equals(file.path()))
                        .isPresent());
    }

    @Override
    public Kind kind() {
        return Kind.PATH;
    }

    @Override
    public PathDevice withHealth(Health other) {
        return new PathDevice(id, files, group, owner, other);
    }
}
