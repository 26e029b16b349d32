package io.edgeplug.pods;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The files in which a kubelet notes the holders of devices.
 *
 * @param kubeletDir its directory for device plugins
 * @param root its root directory
 */
record KubeletNotes(Path kubeletDir, Path root) {

    /** The file in which a kubelet notes claims, from its first start on. */
    private static final String CLAIMS = "dra_manager_state";

    /**
     * The holdings. A kubelet makes its checkpoint with the first device plugin, so there is none if all devices are
     * claimed.
     */
    HeldDevices read() throws IOException {
        try {
            return HeldDevices.read(kubeletDir);
        } catch (IOException e) {
            if (e.getCause() instanceof NoSuchFileException && Files.exists(root.resolve(CLAIMS))) {
                return HeldDevices.nothing();
            }
            throw e;
        }
    }
}
