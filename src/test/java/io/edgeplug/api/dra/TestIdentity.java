package io.edgeplug.api.dra;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/** A kubelet's kubeconfig and its certificate, which rotates as a kubelet's does. The keys are only for tests. */
final class TestIdentity {

    /** Its key is in SEC 1 form, as kubelets write it. */
    static final String NODE1 = "node1.pem";

    /** Its key is on another curve. */
    static final String ROTATED = "rotated.pem";

    /** Its key is in PKCS#1 form. */
    static final String RSA = "rsa.pem";

    /** Its key is in PKCS#8 form. */
    static final String ED25519 = "ed.pem";

    private TestIdentity() {}

    /** With this, a server is the API server of the kubeconfig. */
    static SSLContext tlsOfServer() throws IOException, GeneralSecurityException {
        String own = pem("server.pem");
        Kubeconfig.Client server = new Kubeconfig.Client(Pem.certificates(own), Pem.key(own));
        return new Kubeconfig(
                        URI.create("https://any"),
                        Pem.certificates(pem("ca.pem")),
                        "",
                        Optional.of(server),
                        Optional.empty())
                .tls();
    }

    static String pem(String name) throws IOException {
        try (InputStream in = TestIdentity.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    /** Writes {@code kubelet.conf} for a server on that port, with the certificate of that name. */
    static Path write(Path directory, int port, String certificate) throws IOException {
        Files.writeString(directory.resolve("ca.crt"), pem("ca.pem"));
        rotate(directory, certificate);
        return Files.writeString(directory.resolve("kubelet.conf"), """
                apiVersion: v1
                kind: Config
                clusters:
                - name: default-cluster
                  cluster:
                    certificate-authority: ca.crt
                    server: https://127.0.0.1:%d
                contexts:
                - name: default-context
                  context:
                    cluster: default-cluster
                    namespace: default
                    user: default-auth
                current-context: default-context
                users:
                - name: default-auth
                  user:
                    client-certificate: %2$s/current.pem
                    client-key: %2$s/current.pem
                """.formatted(port, directory));
    }

    /** Makes the link lead to another file, as the kubelet does. */
    static void rotate(Path directory, String certificate) throws IOException {
        Path file = Files.writeString(directory.resolve("dated-" + certificate), pem(certificate));
        Path link = directory.resolve("new.pem");
        Files.createSymbolicLink(link, file);
        Path ignored = Files.move(link, directory.resolve("current.pem"), StandardCopyOption.ATOMIC_MOVE);
    }
}
