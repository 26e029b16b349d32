package io.edgeplug.system.kernel;

import java.util.Collection;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Makes one plain line of a text that quotes a foreign name. Such a name may move a terminal's cursor, reverse the
 * direction of text, or begin a line that looks like another message.
 */
public final class PlainText {

    /** Control and format characters, and Unicode's separators of lines and paragraphs. */
    private static final String OBEYED = "\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}";

    private static final Pattern ANY_OBEYED = Pattern.compile("[" + OBEYED + "]");

    /** In JSON, a newline only indents values. Inside a value it is already escaped. */
    private static final Pattern OBEYED_IN_JSON = Pattern.compile("[" + OBEYED + "&&[^\n]]");

    private PlainText() {}

    /** The text with a question mark for each such character. */
    public static String of(String text) {
        return ANY_OBEYED.matcher(text).replaceAll("?");
    }

    /** The beginning of a text that may be long, with that many characters of it at most. */
    public static String start(String text, int most) {
        return of(text.length() > most ? text.substring(0, most) + "…" : text);
    }

    /** The first names of several, such as {@code a, b and 3 more}. They are as they were. */
    public static String some(Collection<String> names, int most) {
        String first = names.stream().limit(most).collect(Collectors.joining(", "));
        return names.size() > most ? first + " and " + (names.size() - most) + " more" : first;
    }

    /** The JSON with each such character escaped, because both programs and people read it. */
    public static String ofJson(String json) {
        return OBEYED_IN_JSON.matcher(json).replaceAll(found -> escaped(found.group()));
    }

    private static String escaped(String character) {
        StringBuilder escaped = new StringBuilder();
        for (int i = 0; i < character.length(); i++) {
            // The backslash is doubled because this is the replacement of a regular expression.
            escaped.append("\\\\u%04x".formatted((int) character.charAt(i)));
        }
        return escaped.toString();
    }
}
