package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.GOPHER;
import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static io.edgeplug.api.kubelet.TestDaemon.VF0;

import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import java.nio.file.Path;

/** A daemon with one VF that is prepared and with gophers that are not, and its kubelet. */
record Served(TestDaemon daemon, LocalKubelet kubelet) {

    /** Opens both below a directory; the VF is prepared as {@code lines} say. */
    static Served open(Closing closing, Path directory, String lines) throws Exception {
        return open(closing, directory, lines, KubeletOptions.DEFAULTS);
    }

    /** The same, with that kubelet. */
    static Served open(Closing closing, Path directory, String lines, KubeletOptions options) throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        LocalKubelet kubelet = closing.add(LocalKubelet.open(kubeletDir, options, event -> {}));
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir, classes(lines)));
        kubelet.await(NODE0, state -> state.allocatable() == 1, PATIENCE);
        kubelet.await(GOPHER, state -> state.allocatable() == 2, PATIENCE);
        return new Served(daemon, kubelet);
    }

    /** Classes of both. */
    static String classes(String lines) {
        return """
                [[class]]
                resource = "example.com/sriov_node0"
                kind = "vf"
                match = { pci_addresses = ["%s"] }
                [class.prepare]
                %s
                """.formatted(VF0, lines) + TestDaemon.filesClass(GOPHER.toString(), "gophers");
    }

    /** Waits until the kubelet has the VF so. */
    void awaitHealth(boolean healthy) throws Exception {
        kubelet.await(NODE0, state -> TestDaemon.isHealthy(state, VF0) == healthy, PATIENCE);
    }
}
