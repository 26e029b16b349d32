package io.edgeplug.cli.options;

import io.edgeplug.system.kernel.Terminal;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Folds lines that are longer than the terminal. Each continues below, indented, at the beginning of a word. */
public final class LongLines {

    /** A shorter line fits anyway. Asking the terminal would double the time of a command's start. */
    private static final int USUAL_COLUMNS = 80;

    private static final int INDENT = 4;

    /** The gap between two cells of a table, or between a name and its text. */
    private static final Pattern GAP = Pattern.compile("(?<=\\S) {2,}(?=\\S)");

    private LongLines() {}

    /** The printed form of a line: the line itself, unless standard output is a terminal that is too narrow for it. */
    public static List<String> onStdout(String line) {
        return line.length() <= USUAL_COLUMNS || !Terminal.isStdout()
                ? List.of(line)
                : folded(line, Terminal.columns().orElse(Integer.MAX_VALUE));
    }

    /** The same for that many columns. A word that is too long for any line stays whole, so that it can be copied. */
    static List<String> folded(String line, int most) {
        int indent = indent(line, most);
        List<String> folded = new ArrayList<>();
        String rest = line;
        while (rest.length() > most) {
            int end = end(rest, most, most - indent);
            if (end < 0) {
                break;
            }
            folded.add(rest.substring(0, end).stripTrailing());
            rest = " ".repeat(indent) + rest.substring(end).strip();
        }
        folded.add(rest);
        return folded;
    }

    /** Where to end a line if the next one has room for that many characters; negative if nowhere. */
    private static int end(String line, int columns, int room) {
        int first = firstWord(line);
        int end = line.lastIndexOf(' ', columns);
        if (end <= first) {
            return line.indexOf(' ', first);
        }
        int next = line.indexOf(' ', end + 1);
        return (next < 0 ? line.length() : next) - end - 1 > room ? next : end;
    }

    /** The indentation: below the last cell, if that leaves room for some words. */
    private static int indent(String line, int columns) {
        int indent = firstWord(line) + INDENT;
        Matcher gaps = GAP.matcher(line);
        while (gaps.find()) {
            if (gaps.end() <= columns / 3 * 2) {
                indent = gaps.end();
            } else {
                indent = firstWord(line) + INDENT;
            }
        }
        return indent;
    }

    private static int firstWord(String line) {
        int at = 0;
        while (at < line.length() && line.charAt(at) == ' ') {
            at++;
        }
        return at;
    }
}
