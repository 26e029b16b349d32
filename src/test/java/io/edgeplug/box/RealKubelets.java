package io.edgeplug.box;

import static io.edgeplug.box.RealKubelet.NAMED;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeoutException;

/** The node with whole kubelets instead of the local kubelet. Each of them is brought in once and saved. */
final class RealKubelets {

    private static final Path FILES = Path.of("src/test/kubelets/node");
    private static final String INSTALLED = "kubelets";

    private final Node node;

    RealKubelets(Node node) {
        this.node = node;
    }

    /** The node with a kubelet of that release, which knows all devices and has no pod. */
    RealKubelet of(Release release) throws IOException, InterruptedException, TimeoutException {
        assumeThat(Machine.wanted()).as("a kubelet is built for amd64").isEqualTo(Machine.AMD64);
        assumeThat(Box.isInstalled("go") || System.getenv(NodeInBox.MUST) != null)
                .as("Go, to build kubelets with: apt-get install golang-go")
                .isTrue();
        RealKubelet kubelet = new RealKubelet(node);
        String snapshot = "kubelet-" + release.minor();
        if (node.hasSaved(snapshot)) {
            node.reset(snapshot);
            return kubelet;
        }
        if (node.hasSaved(INSTALLED)) {
            node.reset(INSTALLED);
        } else {
            node.reset(NodeInBox.READY);
            install();
            node.save(INSTALLED);
        }
        kubelet.become(release);
        node.save(snapshot);
        return kubelet;
    }

    /** The node with a kubelet of that release and with what those steps do to both. They are taken once. */
    Node after(String snapshot, Release release, Steps steps)
            throws IOException, InterruptedException, TimeoutException {
        if (node.hasSaved(snapshot)) {
            node.reset(snapshot);
        } else {
            steps.take(of(release).node());
            node.save(snapshot);
        }
        return node;
    }

    /** What is done to a node. */
    interface Steps {
        void take(Node node) throws IOException, InterruptedException, TimeoutException;
    }

    private void install() throws IOException, InterruptedException, TimeoutException {
        node.run("systemctl stop kubelet.service && rm -f /var/lib/kubelet/device-plugins/kubelet_internal_checkpoint");
        node.unpack("/", "-C", FILES.toString(), ".");
        node.run("mkdir /etc/kubernetes/manifests");
        node.run("systemctl daemon-reload && systemctl start containerd.service && /usr/lib/kubelet/image");
        node.run("systemctl enable --now vfs.service");
        Installation.reload(node);
        // The daemon applies the configuration in its own time, and each kubelet would have to wait for that.
        node.run("for i in $(seq 200); do"
                + " journalctl -u edgeplug.service -o cat --no-pager | grep -q 'added to " + NAMED + "' && exit;"
                + " sleep 1; done; exit 1");
    }
}
