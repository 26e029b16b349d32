package io.edgeplug.config;

/**
 * Finds what toml4j would let pass or read wrongly: a key without a value (which it drops), array elements without a
 * comma between them, leading zeros, control characters, and escapes beyond sixteen bits.
 *
 * <p>It walks statement by statement and leaves all other mistakes to toml4j, which tells them with their line.
 */
final class TomlText {

    private static final int MAX_NESTING = 16;

    private final String text;
    private final String file;
    private final Mistakes mistakes;
    private int at;
    private int line = 1;

    private TomlText(String text, String file, Mistakes mistakes) {
        this.text = text;
        this.file = file;
        this.mistakes = mistakes;
    }

    /** Adds what is wrong in {@code text} to {@code mistakes}. */
    static void check(String text, String file, Mistakes mistakes) {
        new TomlText(text, file, mistakes).statements();
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
        if (text.substring(start, at).chars().filter(c -> c == '.').count() > MAX_NESTING) {
            mistakes.add(file, "line " + headerLine + ": a table's name has too many dots");
            at = text.length();
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
        if (text.substring(start, at).matches("[+-]?0[0-9_]+")) {
            mistake(key + ": has a leading zero");
        }
        if (at == start) {
            next();
        }
    }

    private void mistake(String what) {
        mistakes.add(file, "line " + line + ": " + what);
    }

    /** The character here; NUL at the end. */
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
