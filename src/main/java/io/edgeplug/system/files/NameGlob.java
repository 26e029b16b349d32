package io.edgeplug.system.files;

import java.util.ArrayList;
import java.util.List;

/**
 * A pattern for one name, as glob(7) without brackets: {@code *} and {@code ?} match anything but a leading dot.
 *
 * <p>It is no regular expression, because others choose the names: a name that almost matches several {@code *} would
 * take minutes.
 *
 * @param text as it was written; every text is a pattern
 */
public record NameGlob(String text) {

    /** Whether the pattern matches the name. */
    public boolean matches(String name) {
        if (isLiteral()) {
            return text.equals(name);
        }
        boolean beginsWild = isWild(text.charAt(0));
        return !(beginsWild && name.startsWith("."))
                && rests(text.codePoints().toArray(), name.codePoints().toArray())[0][0];
    }

    /** The text that each wildcard matches, the first ones as long as possible; nothing if the name does not match. */
    List<String> matched(String name) {
        int[] wanted = text.codePoints().toArray();
        int[] given = name.codePoints().toArray();
        boolean[][] rests = rests(wanted, given);
        List<String> matched = new ArrayList<>();
        int at = 0;
        for (int i = 0; i < wanted.length && rests[0][0]; i++) {
            int end = at + 1;
            if (wanted[i] == '*') {
                end = given.length;
                while (!rests[i + 1][end]) {
                    end--;
                }
            }
            if (isWild(wanted[i])) {
                matched.add(new String(given, at, end - at));
            }
            at = end;
        }
        return matched;
    }

    /** For each pair of positions, whether the rest of the pattern matches the rest of the name. */
    private static boolean[][] rests(int[] wanted, int[] given) {
        boolean[][] rests = new boolean[wanted.length + 1][given.length + 1];
        rests[wanted.length][given.length] = true;
        for (int i = wanted.length - 1; i >= 0; i--) {
            for (int at = given.length; at >= 0; at--) {
                boolean isOne = at < given.length && (isWild(wanted[i]) || wanted[i] == given[at]);
                rests[i][at] = wanted[i] == '*'
                        ? rests[i + 1][at] || (isOne && rests[i][at + 1])
                        : isOne && rests[i + 1][at + 1];
            }
        }
        return rests;
    }

    private static boolean isWild(int character) {
        return character == '*' || character == '?';
    }

    /** Whether the pattern has no wildcards. */
    boolean isLiteral() {
        return text.indexOf('*') < 0 && text.indexOf('?') < 0;
    }
}
