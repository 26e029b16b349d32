package io.edgeplug.lab.simulation;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The bytes of a file in a tree.
 *
 * <p>A value with a {@code \x} escape is binary and exactly those bytes. Any other value is text, and gets the final
 * newline that the kernel prints.
 */
final class AttributeValue {

    private static final HexFormat HEX = HexFormat.of();
    private static final HexFormat ESCAPED = HEX.withPrefix("\\x");

    private final byte[] bytes;

    private AttributeValue(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Reads a value; its escapes are {@code \xNN}, {@code \n} and {@code \\}.
     *
     * @throws IllegalArgumentException if it has another backslash
     */
    static AttributeValue parse(String text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        boolean binary = false;
        int from = 0;
        for (int at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', from)) {
            out.writeBytes(text.substring(from, at).getBytes(StandardCharsets.UTF_8));
            char escape = at + 1 < text.length() ? text.charAt(at + 1) : ' ';
            from = at + 2;
            switch (escape) {
                case 'n' -> out.write('\n');
                case '\\' -> out.write('\\');
                case 'x' -> {
                    out.write(hexByte(text, from));
                    binary = true;
                    from += 2;
                }
                default -> throw new IllegalArgumentException("a backslash begins \\xNN, \\n or \\\\");
            }
        }
        out.writeBytes(text.substring(from).getBytes(StandardCharsets.UTF_8));
        if (!binary) {
            out.write('\n');
        }
        return new AttributeValue(out.toByteArray());
    }

    /** The value for a file with these bytes. A text without its final newline gets one. */
    static AttributeValue of(byte[] bytes) {
        return new AttributeValue(bytes.clone());
    }

    /** The text that {@link #parse} reads. */
    String text() {
        return plainText().orElseGet(() -> ESCAPED.formatHex(bytes));
    }

    /** Empty if the bytes are not UTF-8, or would not survive as a line. */
    private Optional<String> plainText() {
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
        boolean endsLine = text.endsWith("\n");
        String line = endsLine ? text.substring(0, text.length() - 1) : text;
        if (!line.stripLeading().equals(line)
                || line.chars().anyMatch(c -> Character.isISOControl(c) && c != '\n' && c != '\t')) {
            return Optional.empty();
        }
        String escaped = line.replace("\\", "\\\\").replace("\n", "\\n");
        // A byte escape keeps the space at the end, and prevents the final newline.
        return line.endsWith(" ")
                ? Optional.of(escaped.substring(0, escaped.length() - 1) + "\\x20" + (endsLine ? "\\n" : ""))
                : Optional.of(escaped).filter(value -> value.equals(value.strip()));
    }

    private static int hexByte(String text, int from) {
        if (from + 2 > text.length()
                || !HexFormat.isHexDigit(text.charAt(from))
                || !HexFormat.isHexDigit(text.charAt(from + 1))) {
            throw new IllegalArgumentException("\\x needs two hexadecimal digits");
        }
        return HEX.parseHex(text, from, from + 2)[0];
    }

    byte[] bytes() {
        return bytes.clone();
    }
}
