package io.edgeplug.system.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The file that a path leads to, and the users who could lead the path to another one.
 *
 * @param path without links, absolute as the node sees it
 * @param device the number of its file system; with {@code inode} it identifies the file
 * @param number of a device node of this machine, such as {@code 188:0}; else empty
 * @param intruders the users who can lead the path elsewhere, in the order of the way
 */
public record Destination(
        String path, FileKind kind, long device, long inode, String number, List<Intruder> intruders) {

    public Destination {
        intruders = List.copyOf(intruders);
    }

    /**
     * A user who can lead the path elsewhere. Root, the user who scans, and the owner of the whole tree do not count.
     *
     * @param owner the name of the owner of that directory or file; empty if others than its owner can do it
     * @param place the directory or file on the way, as the node sees it
     * @param why why it is not trusted, a clause that follows its name
     * @param isMover whether that user may only have moved it there, and cannot replace it any more
     */
    public record Intruder(Optional<String> owner, String place, String why, boolean isMover) {

        /** Why the path is not trusted, for a person. */
        public String problem() {
            return "its way leads through " + place + ", " + why + (owner.isPresent() ? ": see trust_owner" : "");
        }
    }

    /** Why the file must not be handed over, with that user trusted beside root, if any; empty if it can be. */
    public Optional<String> distrust(@Nullable String trustedOwner) {
        return intruders.stream()
                .filter(intruder -> intruder.owner()
                        .filter(owner -> owner.equals(trustedOwner))
                        .isEmpty())
                .findFirst()
                .map(Intruder::problem);
    }

    /**
     * Whether it is still at the end of a path of the host. A link on the way is followed by a walk alone, because it may
     * lead to where a look never returns.
     *
     * @param forbidden the mount points of file systems that may never answer
     */
    boolean isAt(Path file, Set<String> forbidden) throws IOException {
        Path place = Path.of("/");
        boolean isFree = !forbidden.contains(place.toString());
        for (Path name : file) {
            place = place.resolve(name);
            isFree = isFree
                    && !forbidden.contains(place.toString())
                    && (place.equals(file) || !Files.isSymbolicLink(place));
        }
        return isFree && FileStatus.of(file, LinkOption.NOFOLLOW_LINKS).isOf(this);
    }
}
