package io.edgeplug.linux;

import java.util.List;
import java.util.Optional;

/**
 * The file that a path leads to, and the users who could lead the path to another one.
 *
 * @param path without links, absolute as the node sees it
 * @param device the number of its file system; with {@code inode} it identifies the file
 * @param intruders the users who can change a directory on the way, in the order of the way
 */
public record Destination(String path, FileKind kind, long device, long inode, List<Intruder> intruders) {

    public Destination {
        intruders = List.copyOf(intruders);
    }

    /**
     * A user who can change a directory on the way of a path. Root, the user who scans, and the owner of the whole tree
     * do not count.
     *
     * @param owner the name of the directory's owner; empty if others than its owner can write to it
     * @param problem why the directory is not trusted, for a person
     */
    public record Intruder(Optional<String> owner, String problem) {}

    /** Why the file must not be handed over, with that user trusted; empty if it can be. */
    public Optional<String> distrust(Optional<String> trustedOwner) {
        return intruders.stream()
                .filter(intruder ->
                        intruder.owner().isEmpty() || !intruder.owner().equals(trustedOwner))
                .findFirst()
                .map(Intruder::problem);
    }
}
