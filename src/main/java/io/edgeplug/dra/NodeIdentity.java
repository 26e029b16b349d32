package io.edgeplug.dra;

import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * As whom a node would speak with the API server, which is not asked.
 *
 * @param file the kubeconfig that says so
 * @param server the address of the API server
 * @param nodeName the name of the node; empty if the identity is no node's
 * @param validity of the certificate; empty if it is a token
 */
public record NodeIdentity(Path file, URI server, Optional<String> nodeName, Optional<Validity> validity) {

    /** From when and until when something is valid. */
    public record Validity(Instant from, Instant until) {}

    /**
     * Reads it.
     *
     * @param node whose files these are
     * @param kubeconfig the file as the node sees it; empty if it is the kubelet's
     * @throws IOException if it cannot be used; the message names the file
     */
    public static NodeIdentity read(Sysfs node, Optional<Path> kubeconfig) throws IOException {
        Path file = kubeconfig.isPresent() ? kubeconfig.orElseThrow() : Kubeconfig.ofKubelet(node);
        Kubeconfig read = Kubeconfig.read(file, node);
        Optional<Validity> validity = read.client()
                .map(client -> client.chain().getFirst())
                .map(own -> new Validity(
                        own.getNotBefore().toInstant(), own.getNotAfter().toInstant()));
        return new NodeIdentity(file, read.server(), read.nodeName(), validity);
    }
}
