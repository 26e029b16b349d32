package io.edgeplug.system.kernel;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An IP address with the length of its prefix, in the form of {@code ip address}: {@code 192.0.2.7/24}. */
public record LinkAddress(InetAddress address, int prefix) {

    /** {@link InetAddress#ofLiteral} also takes shorter and scoped forms, which mean something else to most people. */
    private static final Pattern FORM =
            Pattern.compile("(\\d{1,3}(?:\\.\\d{1,3}){3}|[0-9a-fA-F:]*:[0-9a-fA-F:.]*)/(\\d{1,3})");

    /** Reads the text form; empty if it is none. */
    public static Optional<LinkAddress> parse(String text) {
        Matcher parts = FORM.matcher(text);
        if (!parts.matches()) {
            return Optional.empty();
        }
        try {
            LinkAddress parsed =
                    new LinkAddress(InetAddress.ofLiteral(parts.group(1)), Integer.parseInt(parts.group(2)));
            return Optional.of(parsed).filter(one -> one.prefix <= one.bytes().length * Byte.SIZE);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Whether a host can have the address: it is neither unspecified nor a group's, nor the network's own. */
    public boolean isOfHost() {
        return !address.isAnyLocalAddress() && !address.isMulticastAddress() && !isNetwork();
    }

    private boolean isNetwork() {
        byte[] bytes = bytes();
        // In networks of two and one, each address is a host's; see RFC 3021 and RFC 6164.
        if (bytes.length * Byte.SIZE - prefix < 2) {
            return false;
        }
        for (int bit = prefix; bit < bytes.length * Byte.SIZE; bit++) {
            if ((bytes[bit / Byte.SIZE] >> (Byte.SIZE - 1 - bit % Byte.SIZE) & 1) != 0) {
                return false;
            }
        }
        return true;
    }

    byte[] bytes() {
        return address.getAddress();
    }

    /** Whether both are the same address of a host, whatever their prefixes. */
    public boolean isSameHost(LinkAddress other) {
        return Arrays.equals(bytes(), other.bytes());
    }

    @Override
    public String toString() {
        return address.getHostAddress() + "/" + prefix;
    }
}
