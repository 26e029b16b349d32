package io.edgeplug.api.dra;

import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * The address of the API server and the identity for it, as a kubeconfig and the files that it names say now.
 *
 * @param server its address, {@code https} only
 * @param authorities the authorities that sign its certificate
 * @param tlsName the name that its certificate must be for
 * @param client the certificate of this side, and its key
 * @param token the token of an identity without a certificate
 */
record Kubeconfig(
        URI server,
        List<X509Certificate> authorities,
        String tlsName,
        Optional<Client> client,
        Optional<String> token) {

    /** The usual files of kubelets: kubeadm, K3s, RKE2 and k0s. */
    private static final List<Path> OF_KUBELETS = List.of(
            Path.of("/etc/kubernetes/kubelet.conf"),
            Path.of("/var/lib/rancher/k3s/agent/kubelet.kubeconfig"),
            Path.of("/var/lib/rancher/rke2/agent/kubelet.kubeconfig"),
            Path.of("/var/lib/k0s/kubelet.conf"));

    private static final char[] NO_PASSWORD = {};

    private static final int HTTPS = 443;
    private static final Pattern NODE = Pattern.compile("(?:^|,)CN=system:node:([a-z0-9.-]+)(?:,|$)");

    Kubeconfig {
        authorities = List.copyOf(authorities);
    }

    /** A certificate with those that sign it, and its key. */
    record Client(List<X509Certificate> chain, PrivateKey key) {

        Client {
            chain = List.copyOf(chain);
        }
    }

    /** The kubelet's own. If no usual file exists, that of kubeadm, which may come later. */
    static Path ofKubelet() {
        return OF_KUBELETS.stream().filter(Files::exists).findFirst().orElse(OF_KUBELETS.getFirst());
    }

    /** The same for a node that is inspected from outside. */
    static Path ofKubelet(Sysfs node) throws IOException {
        for (Path one : OF_KUBELETS) {
            if (node.exists(relative(one))) {
                return one;
            }
        }
        return OF_KUBELETS.getFirst();
    }

    static String relative(Path path) {
        return path.toString().substring(1);
    }

    /** The settings of TLS. Only the authorities that the kubeconfig names are trusted. */
    SSLContext tls() throws IOException {
        try {
            KeyStore trusted = store();
            for (X509Certificate one : authorities) {
                trusted.setCertificateEntry("authority " + trusted.size(), one);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(trusted);
            KeyStore keys = store();
            if (client.isPresent()) {
                Client own = client.orElseThrow();
                keys.setKeyEntry("client", own.key(), NO_PASSWORD, own.chain().toArray(X509Certificate[]::new));
            }
            KeyManagerFactory identities = KeyManagerFactory.getInstance("PKIX");
            identities.init(keys, NO_PASSWORD);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(identities.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("the certificates of the kubeconfig cannot be used: " + e.getMessage(), e);
        }
    }

    private static KeyStore store() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        return store;
    }

    /** The name of the node that has this identity. */
    Optional<String> nodeName() {
        return client.map(one -> NODE.matcher(
                        one.chain().getFirst().getSubjectX500Principal().getName()))
                .filter(Matcher::find)
                .map(found -> found.group(1));
    }

    /** The address for messages. A password that somebody has written into it is left out. */
    String address() {
        return "https://" + server.getHost() + ":" + port();
    }

    int port() {
        return server.getPort() < 0 ? HTTPS : server.getPort();
    }

    /** The host, without the brackets of an IPv6 address. */
    String host() {
        return host(server);
    }

    static String host(URI server) {
        return server.getHost().replaceAll("[\\[\\]]", "");
    }
}
