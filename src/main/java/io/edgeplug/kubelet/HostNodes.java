package io.edgeplug.kubelet;

import io.edgeplug.container.Allocation.Node;
import io.edgeplug.device.Changing;
import io.edgeplug.device.Device;
import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.util.Collection;
import java.util.Optional;

/** The device nodes of the node, in {@code /dev}, where looking for one never blocks. */
final class HostNodes {

    private static final String DEV = "/dev/";

    private final Sysfs sysfs;
    private final boolean hasAny;

    private HostNodes(Sysfs sysfs, boolean hasAny) {
        this.sysfs = sysfs;
        this.hasAny = hasAny;
    }

    /** Those of that node; one that was captured has not even {@code /dev/null}, and then none is missing. */
    static HostNodes of(Sysfs sysfs) {
        try {
            return new HostNodes(sysfs, sysfs.exists("dev/null"));
        } catch (IOException e) {
            return new HostNodes(sysfs, true);
        }
    }

    /** Which of these is not there, for a person. */
    Optional<String> missing(Collection<Node> nodes) {
        return nodes.stream()
                .map(Node::hostPath)
                .filter(path -> hasAny && path.startsWith(DEV) && !isThere(path))
                .findFirst()
                .map(path -> "its node " + path + " is not there");
    }

    /** Whether a process of ours is changing that device, so that its nodes come and go, as they should. */
    boolean isBeingChanged(Device device) {
        return Changing.concerns(sysfs, device);
    }

    private boolean isThere(String path) {
        try {
            return sysfs.exists(path.substring(1));
        } catch (IOException e) {
            return false;
        }
    }
}
