package io.edgeplug.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** What a kubelet of kubeadm has on its node to speak with the API server, below another root directory. */
public final class KubeletFiles {

    private KubeletFiles() {}

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = KubeletFiles.class.getResourceAsStream("/io/edgeplug/api/dra/" + name)) {
            return Objects.requireNonNull(in, name).readAllBytes();
        }
    }

    /** All paths are absolute, as on a node. The node is called node1. */
    public static void write(Path root, String server) throws IOException {
        Path pki = Files.createDirectories(root.resolve("var/lib/kubelet/pki"));
        Files.write(pki.resolve("kubelet-client-2026.pem"), resource("node1.pem"));
        Files.createSymbolicLink(
                pki.resolve("kubelet-client-current.pem"), Path.of("/var/lib/kubelet/pki/kubelet-client-2026.pem"));
        Files.write(Files.createDirectories(root.resolve("etc/kubernetes/pki")).resolve("ca.crt"), resource("ca.pem"));
        Files.writeString(root.resolve("etc/kubernetes/kubelet.conf"), """
                clusters:
                - name: default-cluster
                  cluster:
                    certificate-authority: /etc/kubernetes/pki/ca.crt
                    server: %s
                contexts:
                - name: default-context
                  context:
                    cluster: default-cluster
                    user: default-auth
                current-context: default-context
                users:
                - name: default-auth
                  user:
                    client-certificate: /var/lib/kubelet/pki/kubelet-client-current.pem
                    client-key: /var/lib/kubelet/pki/kubelet-client-current.pem
                """.formatted(server));
    }
}
