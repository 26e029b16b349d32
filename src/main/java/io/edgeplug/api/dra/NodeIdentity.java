package io.edgeplug.api.dra;

import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The identity with which a node would ask the API server. It is found out without a request.
 *
 * @param file the kubeconfig of the identity
 * @param server the address of the API server
 * @param nodeName the name of the node; empty if the identity is not a node's
 * @param validity the validity of the certificate; empty if the identity has a token
 */
public record NodeIdentity(Path file, URI server, Optional<String> nodeName, Optional<Validity> validity) {

    /** The times between which a certificate is valid. */
    public record Validity(Instant from, Instant until) {}

    /**
     * Reads the identity.
     *
     * @param node the node that has the files
     * @param kubeconfig the file as the node sees it; null for the kubelet's own
     * @throws IOException if it cannot be used; the message names the file
     */
    public static NodeIdentity read(Sysfs node, @Nullable Path kubeconfig) throws IOException {
        Path file = kubeconfig != null ? kubeconfig : Kubeconfig.ofKubelet(node);
        Kubeconfig read = new KubeconfigReading(file, node).read();
        Optional<Validity> validity = read.client()
                .map(client -> client.chain().getFirst())
                .map(own -> new Validity(
                        own.getNotBefore().toInstant(), own.getNotAfter().toInstant()));
        return new NodeIdentity(file, read.server(), read.nodeName(), validity);
    }
}
