package io.edgeplug.linux;

import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A pattern of one name, as glob(7) without brackets: {@code *} and {@code ?} match anything but a name's leading dot.
 *
 * @param text as it was written
 * @param pattern the same as a regular expression
 */
public record NameGlob(String text, Pattern pattern) {

    /** Reads a pattern; any text is one. */
    public static NameGlob parse(String text) {
        String regex = Stream.of(text.split("(?<=[*?])|(?=[*?])", -1))
                .map(part -> part.equals("*") ? ".*" : part.equals("?") ? "." : Pattern.quote(part))
                .collect(Collectors.joining());
        boolean beginsWild = text.startsWith("*") || text.startsWith("?");
        return new NameGlob(text, Pattern.compile((beginsWild ? "(?!\\.)" : "") + regex, Pattern.DOTALL));
    }

    /** Whether the name is one that the pattern names. */
    public boolean matches(String name) {
        return pattern.matcher(name).matches();
    }

    /** Whether it names just one name. */
    boolean isLiteral() {
        return text.indexOf('*') < 0 && text.indexOf('?') < 0;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NameGlob glob && text.equals(glob.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }
}
