package io.edgeplug.node.pods;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The note of a claim, as the daemon leaves it on a node. */
public final class NotedClaim {

    private NotedClaim() {}

    /** Has the claim default/mine hold a device of the node with that root directory, or a share of the device. */
    public static void note(Path root, String id) throws IOException {
        PreparedClaim.Device device = new PreparedClaim.Device(
                "some", "node1", "device", Optional.empty(), id, "example.com/some", false, Optional.empty());
        PreparedClaims.read(PreparedClaims.directory(root))
                .note(new PreparedClaim("uid", "default", "mine", List.of(), List.of(device)));
    }
}
