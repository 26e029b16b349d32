package io.edgeplug.linux;

import java.util.regex.Pattern;

/**
 * Makes one plain line of a text that quotes a name from outside. Such a name may hold what moves a terminal's cursor,
 * turns the direction of the text around it, or begins a line that looks like another message.
 */
public final class PlainText {

    /** Control and format characters, and Unicode's own separators of lines and paragraphs. */
    private static final String OBEYED = "\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}";

    private static final Pattern ANY_OBEYED = Pattern.compile("[" + OBEYED + "]");

    /** A newline separates values, where a writer of JSON indents them; within a value it is escaped already. */
    private static final Pattern OBEYED_IN_JSON = Pattern.compile("[" + OBEYED + "&&[^\n]]");

    private PlainText() {}

    /** The text with a question mark for each such character. */
    public static String of(String text) {
        return ANY_OBEYED.matcher(text).replaceAll("?");
    }

    /** The same JSON with each such character escaped, for programs are to read it and persons do. */
    public static String ofJson(String json) {
        return OBEYED_IN_JSON.matcher(json).replaceAll(found -> escaped(found.group()));
    }

    private static String escaped(String character) {
        StringBuilder escaped = new StringBuilder();
        for (int i = 0; i < character.length(); i++) {
            // doubled, since it is a replacement
            escaped.append("\\\\u%04x".formatted((int) character.charAt(i)));
        }
        return escaped.toString();
    }
}
