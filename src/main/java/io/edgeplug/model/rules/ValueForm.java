package io.edgeplug.model.rules;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.UsbPort;
import io.edgeplug.system.files.NameGlob;
import io.edgeplug.system.files.PathGlob;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The forms of values in {@code [class.match]}. Each method makes a condition of a text.
 *
 * <p>All throw IllegalArgumentException if the text has a wrong form. The message says the right one.
 */
final class ValueForm {

    private static final Pattern HEX = Pattern.compile("(?:0x)?([0-9a-f]+)", Pattern.CASE_INSENSITIVE);
    private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");
    private static final Pattern INDEX = Pattern.compile("\\d{1,10}");

    private ValueForm() {}

    /** A vendor or device ID. */
    static Predicate<String> functionId(String text) {
        return digits(text, "four hexadecimal digits, as 8086", 4)::equals;
    }

    static Predicate<String> classCode(String text) {
        String wanted = digits(text, "two, four or six hexadecimal digits, as 0200", 2, 4, 6);
        return found -> found.startsWith(wanted);
    }

    static Predicate<String> address(String text) {
        return parseAddress(text).toString()::equals;
    }

    /** The address of a PF, with or without the numbers of VFs. */
    static Predicate<String> rootDevice(String text) {
        VfRange range = VfRange.parse(text);
        return range.with(parseAddress(range.pf()).toString()::equals);
    }

    /** The interface of a PF, with or without the numbers of VFs. */
    static Predicate<String> pfName(String text) {
        VfRange range = VfRange.parse(text);
        return range.with(new NameGlob(range.pf())::matches);
    }

    static Predicate<String> name(String text) {
        return new NameGlob(text)::matches;
    }

    static Predicate<String> path(String text) {
        return PathGlob.parse(text)::matches;
    }

    /** The ID of an accelerator function, or of the FPGA that it fits on, as a UUID or without the dashes. */
    static Predicate<String> fpgaId(String text) {
        String wanted = text.replace("-", "").toLowerCase(Locale.ROOT);
        if (!ID.matcher(wanted).matches()) {
            throw new IllegalArgumentException("is not 32 hexadecimal digits, as d8424dc4a4a3c413f89e433683f9040b");
        }
        return wanted::equals;
    }

    static Predicate<String> usbPort(String text) {
        return UsbPort.parse(text)
                .orElseThrow(() -> new IllegalArgumentException("is not a USB port, as 1-4.2"))
                .path()::equals;
    }

    static Predicate<String> partitionKey(String text) {
        String digits = digits(text, "a P_Key of up to four hexadecimal digits, as 0x8001", 1, 2, 3, 4);
        return ("0x" + "0".repeat(4 - digits.length()) + digits)::equals;
    }

    static Predicate<String> index(String text) {
        if (!INDEX.matcher(text).matches()) {
            throw new IllegalArgumentException("is not a number, as 101");
        }
        return String.valueOf(Long.parseLong(text))::equals;
    }

    static Predicate<String> linkType(String text) {
        return oneOf(text, "ether", "infiniband");
    }

    static Predicate<String> vdpaType(String text) {
        return oneOf(text, "vhost", "virtio");
    }

    static Predicate<String> truth(String text) {
        return text::equals;
    }

    private static Predicate<String> oneOf(String text, String... words) {
        if (!List.of(words).contains(text)) {
            throw new IllegalArgumentException("is none of " + String.join(", ", words));
        }
        return text::equals;
    }

    private static PciAddress parseAddress(String text) {
        return PciAddress.parse(text)
                .orElseThrow(() -> new IllegalArgumentException("is not a PCI address, as 0000:3b:02.1"
                        + (text.contains("#") ? ": only root_devices and pf_names take numbers of VFs after #" : "")));
    }

    private static String digits(String text, String form, int... lengths) {
        Matcher matcher = HEX.matcher(text);
        String digits = matcher.matches() ? matcher.group(1).toLowerCase(Locale.ROOT) : "";
        for (int length : lengths) {
            if (digits.length() == length) {
                return digits;
            }
        }
        throw new IllegalArgumentException("is not " + form);
    }
}
