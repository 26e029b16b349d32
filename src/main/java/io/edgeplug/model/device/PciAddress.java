package io.edgeplug.model.device;

import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The address of a PCI function (BDF), in the kernel's form: {@code 0000:3b:02.1}. */
public final class PciAddress implements Comparable<PciAddress> {

    private static final String HEX = "[0-9a-fA-F]";
    private static final Pattern FORM =
            Pattern.compile("(%s{4,8}):(%s{2}):([01]%s)\\.([0-7])".formatted(HEX, HEX, HEX));
    private static final HexFormat HEX_DIGITS = HexFormat.of();

    private final long domain;
    private final int bus;
    private final int slot;
    private final int function;

    /**
     * The text is the device's ID and often needed, so it is made once. Threads that race here write the same value.
     */
    private String text = "";

    /**
     * The parts of an address.
     *
     * @param domain 16 bits, or up to 32 behind a volume management device
     * @param bus 8 bits
     * @param slot 5 bits; the "device" of bus, device and function
     * @param function 3 bits
     */
    public PciAddress(long domain, int bus, int slot, int function) {
        this.domain = domain;
        this.bus = bus;
        this.slot = slot;
        this.function = function;
    }

    /** Reads {@code 0000:3b:02.1}; empty if the text has another form. */
    public static Optional<PciAddress> parse(String text) {
        Matcher matcher = FORM.matcher(text);
        return matcher.matches() ? Optional.of(of(matcher)) : Optional.empty();
    }

    /** The function of the device with that ID: the function itself, or a part of it, whose ID goes on with a dash. */
    public static Optional<PciAddress> ofId(String id) {
        return parse(textIn(id));
    }

    /** The part of the ID of a device that is the address of its function, if it has one. */
    public static String textIn(String id) {
        int dash = id.indexOf('-');
        return dash < 0 ? id : id.substring(0, dash);
    }

    /** The functions on a device's path in {@code /sys}, from the root. */
    public static Stream<PciAddress> allIn(String devpath) {
        return Stream.of(devpath.split("/", -1)).flatMap(name -> parse(name).stream());
    }

    /** The last function on a device's path in {@code /sys}. */
    public static Optional<PciAddress> lastIn(String devpath) {
        return allIn(devpath).reduce((before, last) -> last);
    }

    private static PciAddress of(Matcher matcher) {
        return new PciAddress(
                Long.parseLong(matcher.group(1), 16),
                Integer.parseInt(matcher.group(2), 16),
                Integer.parseInt(matcher.group(3), 16),
                Integer.parseInt(matcher.group(4), 16));
    }

    public long domain() {
        return domain;
    }

    public int bus() {
        return bus;
    }

    /** Bus, slot and function as 16 bits. SR-IOV computes the addresses of VFs in this form. */
    public int routingId() {
        return bus << 8 | slot << 3 | function;
    }

    @Override
    public int compareTo(PciAddress other) {
        int byDomain = Long.compare(domain, other.domain);
        return byDomain != 0 ? byDomain : Integer.compare(routingId(), other.routingId());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PciAddress that && domain == that.domain && routingId() == that.routingId();
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(domain) + routingId();
    }

    @Override
    public String toString() {
        if (text.isEmpty()) {
            text = write();
        }
        return text;
    }

    private String write() {
        int digits = domain > 0xffff ? 8 : 4;
        String wide = HEX_DIGITS.toHexDigits(domain, digits);
        return (digits == 8 ? wide.replaceFirst("^0{1,3}", "") : wide)
                + ':'
                + HEX_DIGITS.toHexDigits((byte) bus)
                + ':'
                + HEX_DIGITS.toHexDigits((byte) slot)
                + '.'
                + HEX_DIGITS.toHexDigits(function, 1);
    }
}
