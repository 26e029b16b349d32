package io.edgeplug.model.device;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Shortens names that must fit into a limited length. */
public final class ShortName {

    private static final int HASH_BYTES = 8;
    private static final int SHORT_HASH_BYTES = 4;

    private ShortName() {}

    /** The name itself, or its beginning and a hash of all of it if it is too long. The hash is always the same. */
    public static String of(String name, int length) {
        if (name.length() <= length) {
            return name;
        }
        return name.substring(0, length - 2 * HASH_BYTES - 1) + "." + hash(name, HASH_BYTES);
    }

    /** Eight hexadecimal digits that are the same for the same text, and hardly ever for another one. */
    public static String hash(String text) {
        return hash(text, SHORT_HASH_BYTES);
    }

    /** The same with that many bytes, each two digits. */
    public static String hash(String text, int bytes) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
