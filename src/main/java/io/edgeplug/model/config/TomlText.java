package io.edgeplug.model.config;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds mistakes that toml4j accepts, misreads or does not explain: a key without a value (which it drops), array
 * elements without a comma between them, leading zeros, words without quotes, dotted keys, control characters, and
 * escapes beyond sixteen bits. It also notes the line of each key, which toml4j does not report.
 *
 * <p>It reads statement by statement and leaves all other mistakes to toml4j, which reports them with their line.
 */
final class TomlText {

    private static final int MAX_NESTING = 16;

    private static final Pattern HEADING = Pattern.compile("(\\[{1,2})\\s*([^\\[\\]\\n]+?)\\s*]");
    private static final Pattern DOTTED = Pattern.compile("([A-Za-z0-9_-]+)\\.([A-Za-z0-9_.-]+)");

    /** TOML 0.4 has no hexadecimal numbers, and names need quotes. */
    private static final Pattern WORD = Pattern.compile("0x[0-9A-Fa-f_]+|[A-Za-z/][A-Za-z0-9_./:*?-]*");

    private final String text;
    private final String file;
    private final Mistakes mistakes;
    private final TomlLines lines = new TomlLines();
    private int at;
    private int line = 1;

    private TomlText(String text, String file, Mistakes mistakes) {
        this.text = text;
        this.file = file;
        this.mistakes = mistakes;
    }

    /** Adds the mistakes in {@code text} to {@code mistakes}, and returns the lines of keys. */
    static TomlLines check(String text, String file, Mistakes mistakes) {
        TomlText walk = new TomlText(text, file, mistakes);
        walk.statements();
        return walk.lines;
    }

    private void statements() {
        while (at < text.length()) {
            skipBlanksAndComments();
            if (peek() == '[') {
                header();
            } else if (at < text.length()) {
                statement();
            }
        }
    }

    private void header() {
        int start = at;
        int headerLine = line;
        skipLine();
        Matcher name = HEADING.matcher(text.substring(start, at));
        if (text.substring(start, at).chars().filter(c -> c == '.').count() > MAX_NESTING) {
            mistakes.add(file, headerLine, "a table's name has too many dots");
            at = text.length();
        } else if (name.lookingAt()) {
            lines.heading(name.group(2), name.group(1).length() > 1, headerLine);
        }
    }

    private void statement() {
        int start = at;
        while (at < text.length() && peek() != '=' && peek() != '\n') {
            next();
        }
        String key = text.substring(start, at).strip();
        if (peek() != '=') {
            return;
        }
        lines.key(key, line);
        Matcher dotted = DOTTED.matcher(key);
        if (dotted.matches()) {
            mistake(key + ": dotted keys are not understood: write " + dotted.group(1) + " = { " + dotted.group(2)
                    + " = … }");
        }
        next();
        skipSpaces();
        if (at == text.length() || peek() == '\n' || peek() == '#') {
            mistake(key + ": has no value");
        } else {
            value(key, 0);
        }
        skipLine();
    }

    private void value(String key, int depth) {
        switch (peek()) {
            case '[' -> array(key, depth);
            case '"', '\'' -> string(key);
            case '{' -> inlineTable(key, depth);
            default -> bare(key);
        }
    }

    private void array(String key, int depth) {
        if (depth == MAX_NESTING) {
            tooDeep(key);
            return;
        }
        next();
        boolean separated = true;
        for (skipBlanksAndComments(); at < text.length() && peek() != ']'; skipBlanksAndComments()) {
            boolean comma = peek() == ',';
            if (comma == separated) {
                mistake(key + (comma ? ": has a comma with nothing before it" : ": needs a comma between its values"));
            }
            if (comma) {
                next();
            } else {
                value(key, depth + 1);
            }
            separated = comma;
        }
        next();
    }

    private void inlineTable(String key, int depth) {
        if (depth == MAX_NESTING) {
            tooDeep(key);
            return;
        }
        next();
        boolean separated = true;
        for (skipSpaces(); at < text.length() && peek() != '}' && peek() != '\n'; skipSpaces()) {
            boolean comma = peek() == ',';
            if (comma == separated) {
                mistake(key + (comma ? ": has a comma with nothing before it" : ": needs a comma between its keys"));
                skipLine();
                return;
            }
            if (comma) {
                next();
            } else {
                pair(key, depth);
            }
            separated = comma;
        }
        next();
    }

    private void pair(String key, int depth) {
        while (at < text.length() && ",=}\n".indexOf(peek()) < 0) {
            next();
        }
        if (peek() != '=') {
            mistake(key + ": has a key without a value");
            return;
        }
        next();
        skipSpaces();
        if (peek() == ',' || peek() == '}') {
            mistake(key + ": has a key without a value");
        } else {
            value(key, depth + 1);
        }
    }

    private void tooDeep(String key) {
        mistake(key + ": is nested too deeply");
        at = text.length();
    }

    private void string(String key) {
        char quote = peek();
        String fence = String.valueOf(quote).repeat(3);
        boolean multiline = text.startsWith(fence, at);
        String end = multiline ? fence : String.valueOf(quote);
        skip(end.length());
        while (at < text.length() && !text.startsWith(end, at) && (multiline || peek() != '\n')) {
            if (quote == '"' && peek() == '\\') {
                next();
                if (peek() == 'U') {
                    mistake(key + ": write the character itself, \\U is not understood");
                }
            } else if (Character.isISOControl(peek()) && "\t\r\n".indexOf(peek()) < 0) {
                mistake(key + ": has a control character, U+%04X".formatted((int) peek()));
            }
            next();
        }
        skip(end.length());
    }

    private void bare(String key) {
        int start = at;
        while (at < text.length() && ",]}#\n \t\r".indexOf(peek()) < 0) {
            next();
        }
        String bare = text.substring(start, at);
        if (bare.matches("[+-]?0[0-9_]+")) {
            mistake(key + ": has a leading zero");
        } else if (bare.matches("[+-]?[0-9_]{20,}")) {
            mistake(key + ": has a number that is too large");
        } else if (WORD.matcher(bare).matches() && !bare.equals("true") && !bare.equals("false")) {
            // The file may be another one by mistake, such as a link to one with passwords, so no value is quoted.
            mistake(key + ": write its value in quotes");
        }
        if (at == start) {
            next();
        }
    }

    private void mistake(String what) {
        mistakes.add(file, line, what);
    }

    /** The character at this position; NUL at the end. */
    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private void next() {
        skip(1);
    }

    private void skip(int characters) {
        for (int end = Math.min(at + characters, text.length()); at < end; at++) {
            if (text.charAt(at) == '\n') {
                line++;
            }
        }
    }

    private void skipSpaces() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\r') {
            next();
        }
    }

    private void skipLine() {
        while (at < text.length() && peek() != '\n') {
            next();
        }
        next();
    }

    private void skipBlanksAndComments() {
        for (skipSpaces(); peek() == '\n' || peek() == '#'; skipSpaces()) {
            skipLine();
        }
    }
}
