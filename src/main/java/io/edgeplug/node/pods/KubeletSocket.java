package io.edgeplug.node.pods;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Objects;
import java.util.Optional;

/**
 * Identifies one run of a kubelet by a socket that it makes at its start.
 *
 * @param inode the number alone is soon reused
 * @param made when it was made
 */
public record KubeletSocket(Object inode, FileTime made) {

    /** The socket at that path; empty while there is none. */
    public static Optional<KubeletSocket> find(Path socket) {
        try {
            BasicFileAttributes found =
                    Files.readAttributes(socket, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return Optional.of(new KubeletSocket(Objects.requireNonNull(found.fileKey()), found.lastModifiedTime()));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
