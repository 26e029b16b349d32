package io.edgeplug.linux;

import java.util.List;
import java.util.Optional;

/**
 * The file that a path leads to, and who could have led it to another one.
 *
 * @param path without links, absolute as the node sees it
 * @param device the number of its file system, which together with {@code inode} tells it from all other files
 * @param intruders those who can change a directory on the way, in the order of the way
 */
public record Destination(String path, FileKind kind, long device, long inode, List<Intruder> intruders) {

    public Destination {
        intruders = List.copyOf(intruders);
    }

    /**
     * Somebody who can change a directory in which a name of the path is looked up, other than root, who scans, and who
     * owns the whole tree.
     *
     * @param owner the name of a user, who owns the directory; empty if others can write to it than its owner
     * @param problem why the directory is not to be trusted, for a person
     */
    public record Intruder(Optional<String> owner, String problem) {}

    /** Why the file must not be handed over, unless that user's choice is trusted; empty if it can be. */
    public Optional<String> distrust(Optional<String> trustedOwner) {
        return intruders.stream()
                .filter(intruder ->
                        intruder.owner().isEmpty() || !intruder.owner().equals(trustedOwner))
                .findFirst()
                .map(Intruder::problem);
    }
}
