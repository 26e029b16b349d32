package io.edgeplug.model.rules;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The addresses of the VFs of a PF: MAC addresses of 6 bytes, or GUIDs of 8.
 *
 * @param values the addresses of the administrator, in lower case with colons: none, one for each VF, or the first one,
 *     from which the others are counted up
 */
public record VfAddresses(Source source, List<String> values) {

    /** The addresses stay as the driver made them. */
    public static final VfAddresses KEEP = new VfAddresses(Source.KEEP, List.of());

    /** Each address is derived from the PF's address and the VF's number, so it is the same after each boot. */
    public static final VfAddresses FIXED = new VfAddresses(Source.FIXED, List.of());

    private static final HexFormat COLONS = HexFormat.ofDelimiter(":");
    private static final int LOCAL = 0x02;
    private static final int GROUP = 0x01;

    /** The source of an address. */
    public enum Source {
        KEEP,
        FIXED,
        /** Counted up from the address of the first VF. */
        BASE,
        /** One for each VF. */
        LIST
    }

    public VfAddresses {
        values = List.copyOf(values);
    }

    /** Whether the administrator names the addresses, so that two PFs with them would collide. */
    public boolean isForOnePf() {
        return source == Source.BASE || source == Source.LIST;
    }

    /** The MAC address of a VF whose PF has that address; empty if the VF keeps its own. */
    public Optional<String> mac(String pf, int vf) {
        return address(pf, vf, 6);
    }

    /** The GUID of a VF whose PF has that GUID; empty if the VF keeps its own. */
    public Optional<String> guid(String pf, int vf) {
        return address(pf, vf, 8);
    }

    private Optional<String> address(String pf, int vf, int bytes) {
        return switch (source) {
            case KEEP -> Optional.empty();
            case FIXED -> Optional.of(COLONS.formatHex(derived(pf, vf, bytes)));
            case BASE -> Optional.of(COLONS.formatHex(counted(vf, bytes)));
            case LIST -> vf < values.size() ? Optional.of(values.get(vf)) : Optional.empty();
        };
    }

    /**
     * Makes a digest, because the addresses of a card's ports follow each other: counted addresses of their VFs would
     * overlap.
     */
    private static byte[] derived(String pf, int vf, int bytes) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(("edgeplug VF " + vf + " of " + pf).getBytes(StandardCharsets.US_ASCII));
            digest[0] = (byte) ((digest[0] & ~GROUP) | LOCAL);
            return Arrays.copyOf(digest, bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private byte[] counted(int vf, int bytes) {
        byte[] wide = new byte[Long.BYTES];
        System.arraycopy(COLONS.parseHex(values.getFirst()), 0, wide, Long.BYTES - bytes, bytes);
        long sum = ByteBuffer.wrap(wide).getLong() + vf;
        return Arrays.copyOfRange(ByteBuffer.allocate(Long.BYTES).putLong(sum).array(), Long.BYTES - bytes, Long.BYTES);
    }

    @Override
    public String toString() {
        return switch (source) {
            case KEEP, FIXED -> source.name().toLowerCase(Locale.ROOT);
            case BASE -> "from " + values.getFirst();
            case LIST -> "listed";
        };
    }
}
