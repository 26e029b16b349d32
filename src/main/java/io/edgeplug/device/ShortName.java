package io.edgeplug.device;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Shortens names that must fit into a limited length. */
public final class ShortName {

    private static final int HASH_BYTES = 8;

    private ShortName() {}

    /** The name itself, or its beginning and a hash of all of it if it is too long. The hash is always the same. */
    public static String of(String name, int length) {
        if (name.length() <= length) {
            return name;
        }
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
            return name.substring(0, length - 2 * HASH_BYTES - 1) + "."
                    + HexFormat.of().formatHex(hash, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
