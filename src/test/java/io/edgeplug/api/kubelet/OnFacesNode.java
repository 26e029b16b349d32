package io.edgeplug.api.kubelet;

import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a kubelet and a daemon on a {@link FacesNode}. */
abstract class OnFacesNode {

    static final String ID = FacesNode.id(0);
    static final String FUNCTION = "sys/bus/pci/devices/" + ID;
    static final String FLR = "reset = \"flr\"";

    @TempDir
    Path directory = Path.of("");

    @AutoClose
    final Closing closing = new Closing();

    Path kubeletDir = Path.of("");

    @BeforeEach
    final void choose() {
        kubeletDir = directory.resolve("device-plugins");
    }

    final LocalKubelet kubelet() throws IOException {
        return closing.add(LocalKubelet.open(kubeletDir, KubeletOptions.DEFAULTS.withRoot(directory), event -> {}));
    }

    /** On a node with so many devices, which are released so. */
    final TestDaemon daemon(String release, int devices) throws Exception {
        FacesNode.make(directory, devices);
        return open(FacesNode.classes(release));
    }

    /** On the node that is there. */
    final TestDaemon open(String classes) throws Exception {
        return closing.add(TestDaemon.open(directory, kubeletDir, classes));
    }

    /** Where it is noted that a pod has used the first device. */
    final Path note() {
        return directory.resolve("node/var/lib/edgeplug/used").resolve(ID + ".used");
    }
}
