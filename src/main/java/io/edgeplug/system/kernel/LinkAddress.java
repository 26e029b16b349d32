package io.edgeplug.system.kernel;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An IP address with the length of its prefix, in the form of {@code ip address}: {@code 192.0.2.7/24} or
 * {@code 2001:db8::7/64}.
 */
public record LinkAddress(InetAddress address, int prefix) {

    /** {@link InetAddress#ofLiteral} also takes shorter and scoped forms, which mean something else to most people. */
    private static final Pattern FORM =
            Pattern.compile("(\\d{1,3}(?:\\.\\d{1,3}){3}|[0-9a-fA-F:]*:[0-9a-fA-F:.]*)/(\\d{1,3})");

    private static final int LONGEST = "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255/128".length();

    /** Zeros of an IPv6 address that may be left out. The JDK writes all of them. */
    private static final Pattern ZEROS = Pattern.compile("(?<![^:])0(?::0)+(?![^:])");

    /** Reads the text form; empty if it is none. */
    public static Optional<LinkAddress> parse(String text) {
        Matcher parts = FORM.matcher(text);
        // For the form, a long text of colons takes a time that grows with the square.
        if (text.length() > LONGEST || !parts.matches()) {
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
        // In networks of two and one, each address is a host's; see RFC 3021 and RFC 6164.
        boolean isSmall = bytes().length * Byte.SIZE - prefix < 2;
        return !address.isAnyLocalAddress() && !address.isMulticastAddress() && (isSmall || !isNetwork());
    }

    /** Whether it is the first address of its prefix, by which the network is called. */
    public boolean isNetwork() {
        return Arrays.equals(bytes(), start(prefix));
    }

    /** Whether the other one, with all of its prefix, is in this network. */
    public boolean contains(LinkAddress other) {
        return other.prefix >= prefix && Arrays.equals(start(prefix), other.start(prefix));
    }

    /** Its first bits, and zeros in place of the others. */
    private byte[] start(int bits) {
        byte[] start = bytes();
        for (int i = 0; i < start.length; i++) {
            start[i] &= (byte) (0xff << Math.clamp((i + 1) * Byte.SIZE - bits, 0, Byte.SIZE));
        }
        return start;
    }

    byte[] bytes() {
        return address.getAddress();
    }

    /** The form of RFC 5952: the longest zeros are left out, and the first if several are as long. */
    @Override
    public String toString() {
        String text = address.getHostAddress();
        String zeros = ZEROS.matcher(text)
                .results()
                .map(MatchResult::group)
                .reduce("", (longest, one) -> one.length() > longest.length() ? one : longest);
        String shorter = zeros.isEmpty() ? text : text.replaceFirst("(?:^|:)" + zeros + "(?:$|:)", "::");
        return shorter + "/" + prefix;
    }
}
