package io.edgeplug.model.convert;

import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What a regular expression for names says, as far as a pattern with {@code *} and {@code ?} can say it. */
final class Expression {

    /** The names of single files, such as {@code ^(fuse|kvm)$}. */
    private static final Pattern LITERALS = Pattern.compile("\\^\\(?:?([A-Za-z0-9_/-]+(?:\\|[A-Za-z0-9_/-]+)*)\\)?\\$");

    /** Characters that stand for themselves, or a set of characters; then how often it occurs. */
    private static final Pattern PIECE =
            Pattern.compile("(?:([A-Za-z0-9_/-]|\\\\[.+-])|(\\.|\\[[^\\]/]+]|\\\\[dw]))([*+?]|\\{[0-9,]+})?");

    private Expression() {}

    /** The names that the expression lists; none if it is none of names only. */
    static List<String> literals(String expression) {
        Matcher matcher = LITERALS.matcher(expression);
        boolean isAlternation = expression.indexOf('(') >= 0 == expression.indexOf(')') >= 0;
        return matcher.matches() && isAlternation && (expression.indexOf('|') < 0 || expression.indexOf('(') >= 0)
                ? Stream.of(matcher.group(1).split("\\|", -1)).distinct().toList()
                : List.of();
    }

    /** A pattern for the same names and hardly any others; empty if there is none. */
    static Optional<String> pattern(String expression) {
        if (!expression.startsWith("^")) {
            return Optional.empty();
        }
        boolean isWhole = expression.endsWith("$");
        String inner = expression.substring(1, expression.length() - (isWhole ? 1 : 0));
        StringBuilder pattern = new StringBuilder();
        Matcher pieces = PIECE.matcher(inner);
        int end = 0;
        while (pieces.find() && pieces.start() == end) {
            pattern.append(glob(pieces.toMatchResult()));
            end = pieces.end();
        }
        String text = (pattern + (isWhole ? "" : "*")).replaceAll("\\*+", "*");
        return end == inner.length() && text.matches("[^*?].*") ? Optional.of(text) : Optional.empty();
    }

    private static String glob(MatchResult piece) {
        if (piece.group(3) != null) {
            return "*";
        }
        return piece.group(1) == null ? "?" : piece.group(1).replace("\\", "");
    }
}
