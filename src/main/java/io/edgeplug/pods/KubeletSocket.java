package io.edgeplug.pods;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Optional;

/**
 * Identifies one run of a kubelet by its pod-resources socket.
 *
 * @param inode the number alone is soon reused
 * @param made when it was made
 */
record KubeletSocket(String inode, FileTime made) {

    /** The present socket below a kubelet's root directory. */
    static Optional<KubeletSocket> find(Path root) {
        try {
            BasicFileAttributes socket = Files.readAttributes(
                    root.resolve(PodNames.SOCKET), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return Optional.of(new KubeletSocket(String.valueOf(socket.fileKey()), socket.lastModifiedTime()));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
