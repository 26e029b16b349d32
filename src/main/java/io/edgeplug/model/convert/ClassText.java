package io.edgeplug.model.convert;

import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.system.kernel.PlainText;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Device classes as TOML. Comments stand above the lines that they explain. */
final class ClassText {

    private static final int WIDTH = 100;
    private static final int MAX_INLINE = 120;

    private final StringBuilder text = new StringBuilder();
    private int classes;

    void beginClass(ResourceName resource, Kind kind, List<String> comments) {
        classes++;
        text.append('\n');
        table("[[class]]", comments);
        string("resource", resource.toString());
        string("kind", kind.word());
    }

    int classes() {
        return classes;
    }

    void table(String name, List<String> comments) {
        comments.forEach(this::comment);
        text.append(name).append('\n');
    }

    /** A comment between classes. */
    void remark(String sentence) {
        text.append('\n');
        comment(sentence);
    }

    /** A comment, wrapped into lines. */
    void comment(String sentence) {
        StringBuilder line = new StringBuilder("#");
        for (String word : PlainText.of(sentence).split(" ", -1)) {
            if (line.length() > 1 && line.length() + 1 + word.length() > WIDTH) {
                text.append(line).append('\n');
                line = new StringBuilder("#");
            }
            line.append(' ').append(word);
        }
        text.append(line).append('\n');
    }

    void string(String key, String value) {
        key(key, quoted(value));
    }

    void number(String key, int value) {
        key(key, String.valueOf(value));
    }

    void truth(String key, boolean value) {
        key(key, String.valueOf(value));
    }

    void strings(String key, Collection<String> values) {
        String line = values.stream().map(ClassText::quoted).collect(Collectors.joining(", ", "[", "]"));
        key(
                key,
                line.length() <= MAX_INLINE
                        ? line
                        : values.stream()
                                .map(ClassText::quoted)
                                .collect(Collectors.joining(",\n    ", "[\n    ", ",\n]")));
    }

    /** Tables in a table, written on one line as TOML requires. */
    void tables(String key, Map<String, Map<String, String>> tables) {
        key(
                key,
                tables.entrySet().stream()
                        .map(table -> quoted(table.getKey()) + " = " + inline(table.getValue()))
                        .collect(Collectors.joining(", ", "{ ", " }")));
    }

    private static String inline(Map<String, String> table) {
        return table.entrySet().stream()
                .map(entry -> quoted(entry.getKey()) + " = " + quoted(entry.getValue()))
                .collect(Collectors.joining(", ", "{ ", " }"));
    }

    private void key(String key, String value) {
        text.append(key).append(" = ").append(value).append('\n');
    }

    private static String quoted(String value) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                default -> quoted.append(Character.isISOControl(c) ? "\\u%04X".formatted((int) c) : c);
            }
        }
        return quoted.append('"').toString();
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
