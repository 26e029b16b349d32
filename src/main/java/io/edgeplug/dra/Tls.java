package io.edgeplug.dra;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** The TLS settings for an identity. */
final class Tls {

    private static final char[] NO_PASSWORD = {};

    private Tls() {}

    /** Trusts only the authorities that the kubeconfig names. */
    static SSLContext context(Kubeconfig identity) throws IOException {
        try {
            KeyStore authorities = KeyStore.getInstance("PKCS12");
            authorities.load(null, NO_PASSWORD);
            for (X509Certificate one : identity.authorities()) {
                authorities.setCertificateEntry("authority " + authorities.size(), one);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(authorities);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys(identity.client()), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("the certificates of the kubeconfig cannot be used: " + e.getMessage(), e);
        }
    }

    private static KeyManager[] keys(Optional<Kubeconfig.Client> client) throws GeneralSecurityException, IOException {
        if (client.isEmpty()) {
            return new KeyManager[0];
        }
        Kubeconfig.Client own = client.orElseThrow();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, NO_PASSWORD);
        keys.setKeyEntry("client", own.key(), NO_PASSWORD, own.chain().toArray(X509Certificate[]::new));
        KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
        factory.init(keys, NO_PASSWORD);
        return factory.getKeyManagers();
    }
}
