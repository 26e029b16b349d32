package io.edgeplug.cli;

import io.edgeplug.linux.Terminal;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lines that are longer than the terminal: each goes on below, indented, at the beginning of a word. */
final class LongLines {

    /** A shorter line fits, so that the terminal need not be asked, which would double the start of a command. */
    private static final int USUAL_COLUMNS = 80;

    private static final int INDENT = 4;

    /** What is between two cells of a table, or a name and its text. */
    private static final Pattern GAP = Pattern.compile("(?<=\\S) {2,}(?=\\S)");

    private LongLines() {}

    /** The lines that this one is printed as: itself, unless standard output is a terminal that is too narrow for it. */
    static List<String> onStdout(String line) {
        return line.length() <= USUAL_COLUMNS || !Terminal.isStdout()
                ? List.of(line)
                : folded(line, Terminal.columns());
    }

    /** The same for so many columns. A word that fits in no line stays where it is and whole, so that it can be copied. */
    static List<String> folded(String line, OptionalInt columns) {
        int most = columns.orElse(Integer.MAX_VALUE);
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

    /** Where a line ends of which the next one has room for so many characters; negative if nowhere. */
    private static int end(String line, int columns, int room) {
        int first = firstWord(line);
        int end = line.lastIndexOf(' ', columns);
        if (end <= first) {
            return line.indexOf(' ', first);
        }
        int next = line.indexOf(' ', end + 1);
        return (next < 0 ? line.length() : next) - end - 1 > room ? next : end;
    }

    /** Below the last cell, if that leaves room for some words. */
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
