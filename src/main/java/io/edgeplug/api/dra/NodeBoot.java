package io.edgeplug.api.dra;

import io.edgeplug.system.kernel.KernelReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.UUID;
import java.util.logging.Logger;

/** Identifies a boot of the node, because the service cannot see the kernel's own boot ID. */
final class NodeBoot {

    private static final Logger LOG = Logger.getLogger(NodeBoot.class.getName());

    private NodeBoot() {}

    /** Of this boot, by a file that does not survive it. */
    static String of(Path file) throws IOException {
        try {
            String text = Files.readString(file).strip();
            if (!text.isEmpty()) {
                return text;
            }
        } catch (NoSuchFileException e) {
            LOG.fine("the first start since the node was booted");
        }
        Files.createDirectories(file.toAbsolutePath().resolveSibling(""));
        String text = UUID.randomUUID().toString();
        try {
            Path ignored = Files.writeString(file, text);
        } catch (IOException e) {
            throw KernelReason.named(file, e);
        }
        return text;
    }
}
