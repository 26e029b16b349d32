package io.edgeplug.api.dra;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Certificates and private keys in PEM. A kubelet writes its rotated key as {@code EC PRIVATE KEY} (SEC 1, RFC 5915).
 * Older tools write {@code RSA PRIVATE KEY} (PKCS#1). The JDK reads neither. Both are PKCS#8 keys without its envelope,
 * which is added here.
 */
final class Pem {

    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]{1,40})-----([A-Za-z0-9+/=\\s]*)-----END \\1-----");

    private static final String PKCS8 = "PRIVATE KEY";
    private static final String SEC1 = "EC PRIVATE KEY";
    private static final String PKCS1 = "RSA PRIVATE KEY";

    private static final int INTEGER = 0x02;
    private static final int OCTETS = 0x04;
    private static final int SEQUENCE = 0x30;

    /** The tag of the curve in a SEC 1 key. */
    private static final int CURVE = 0xA0;

    private static final byte[] VERSION_0 = {INTEGER, 1, 0};

    /** The object identifier 1.2.840.10045.2.1, id-ecPublicKey. */
    private static final byte[] EC = {0x06, 0x07, 0x2A, (byte) 0x86, 0x48, (byte) 0xCE, 0x3D, 0x02, 0x01};

    /** The object identifier 1.2.840.113549.1.1.1, rsaEncryption, and no parameters. */
    private static final byte[] RSA = {
        0x06, 0x09, 0x2A, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00
    };

    private Pem() {}

    private record Block(String type, String base64) {

        byte[] der() throws IOException {
            try {
                return Base64.getDecoder().decode(base64);
            } catch (IllegalArgumentException e) {
                throw new IOException("has a block that is not base64", e);
            }
        }
    }

    /** All certificates of a text, in their order. */
    static List<X509Certificate> certificates(String text) throws IOException {
        List<X509Certificate> certificates = new ArrayList<>();
        try {
            CertificateFactory x509 = CertificateFactory.getInstance("X.509");
            for (Block block : blocks(text)) {
                if (block.type().equals("CERTIFICATE")
                        && x509.generateCertificate(new ByteArrayInputStream(block.der()))
                                instanceof X509Certificate one) {
                    certificates.add(one);
                }
            }
        } catch (CertificateException e) {
            throw new IOException("has a certificate that cannot be read: " + e.getMessage(), e);
        }
        if (certificates.isEmpty()) {
            throw new IOException("has no certificate");
        }
        return certificates;
    }

    /** The first private key of a text. */
    static PrivateKey key(String text) throws IOException {
        for (Block block : blocks(text)) {
            Optional<byte[]> pkcs8 = switch (block.type()) {
                case PKCS8 -> Optional.of(block.der());
                case SEC1 -> Optional.of(envelope(joined(EC, curve(block.der())), block.der()));
                case PKCS1 -> Optional.of(envelope(RSA, block.der()));
                default -> Optional.empty();
            };
            if (pkcs8.isPresent()) {
                return key(pkcs8.orElseThrow());
            }
        }
        throw new IOException("has no private key");
    }

    private static PrivateKey key(byte[] pkcs8) throws IOException {
        for (String algorithm : List.of("EC", "RSA", "Ed25519")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            } catch (InvalidKeySpecException e) {
                // The key is of another algorithm.
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("a JDK without " + algorithm, e);
            }
        }
        throw new IOException("has a private key that is neither EC, RSA nor Ed25519");
    }

    private static List<Block> blocks(String text) {
        return BLOCK.matcher(text)
                .results()
                .map(block -> new Block(block.group(1), block.group(2).replaceAll("\\s", "")))
                .toList();
    }

    private static byte[] envelope(byte[] algorithm, byte[] key) {
        return element(SEQUENCE, joined(VERSION_0, element(SEQUENCE, algorithm), element(OCTETS, key)));
    }

    /** The identifier of the curve in a SEC 1 key: {@code SEQUENCE {version, key, [0] curve, [1] public key}}. */
    private static byte[] curve(byte[] sec1) throws IOException {
        try {
            ByteBuffer der = ByteBuffer.wrap(sec1);
            if (der.get() == SEQUENCE) {
                int ignored = length(der);
                while (der.hasRemaining()) {
                    int tag = Byte.toUnsignedInt(der.get());
                    byte[] content = new byte[length(der)];
                    der.get(content);
                    if (tag == CURVE) {
                        return content;
                    }
                }
            }
        } catch (BufferUnderflowException | NegativeArraySizeException e) {
            throw new IOException("has a private key that ends too early", e);
        }
        throw new IOException("has a private key that does not name its curve");
    }

    private static int length(ByteBuffer der) throws IOException {
        int first = Byte.toUnsignedInt(der.get());
        if (first < 0x80) {
            return first;
        }
        int length = 0;
        for (int i = 0; i < (first & 0x7F); i++) {
            length = length << 8 | Byte.toUnsignedInt(der.get());
        }
        if (length < 0 || length > der.remaining()) {
            throw new IOException("has a private key that ends too early");
        }
        return length;
    }

    private static byte[] element(int tag, byte[] content) {
        ByteArrayOutputStream der = new ByteArrayOutputStream();
        der.write(tag);
        if (content.length < 0x80) {
            der.write(content.length);
        } else {
            // RSA keys take up to a few thousand bytes.
            der.write(0x82);
            der.write(content.length >> 8);
            der.write(content.length);
        }
        der.writeBytes(content);
        return der.toByteArray();
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
