package io.edgeplug.cli.picture;

import java.util.ArrayList;
import java.util.List;

/** Breaks a text into lines, after spaces if possible. */
final class TextLines {

    /** The name of a file can have thousands of characters. The rest of such a text is in the box's title. */
    private static final int MOST = 6;

    private TextLines() {}

    /** Lines with at most that many characters. */
    static List<String> of(String text, int characters) {
        List<String> lines = new ArrayList<>();
        String rest = text;
        while (length(rest) > characters && lines.size() < MOST - 1) {
            int end = rest.offsetByCodePoints(0, characters);
            int space = rest.lastIndexOf(' ', end);
            int cut = space > 0 ? space : end;
            lines.add(rest.substring(0, cut).stripTrailing());
            rest = rest.substring(cut).stripLeading();
        }
        lines.add(
                length(rest) <= characters
                        ? rest
                        : rest.substring(0, rest.offsetByCodePoints(0, characters - 1)) + "…");
        return lines;
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }
}
