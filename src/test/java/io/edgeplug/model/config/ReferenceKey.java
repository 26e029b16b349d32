package io.edgeplug.model.config;

import io.edgeplug.model.device.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A key as docs/edgeplug.toml.md has it.
 *
 * @param table where it stands, as {@code class.match}; empty for the top
 * @param text what is said of it before its examples
 * @param examples several if kinds need different values
 */
record ReferenceKey(String table, String name, String text, List<String> examples) {

    private static final Path FILE = Path.of("docs", "edgeplug.toml.md");

    /** What only the manual page has of the reference. */
    private static final Path PAGE = Path.of("packaging", "man", "edgeplug.toml.5.md");

    /** Tables with the same keys share a section. */
    private static final Pattern SECTION = Pattern.compile("(?ms)^## ((?:`\\[+[\\w.]+]+`(?:, )?)*)(.*?)(?=^## |\\z)");

    private static final Pattern TABLE = Pattern.compile("[\\w.]+");
    private static final Pattern KEY = Pattern.compile("(?ms)^### `(\\w+)`\\n(.*?)```toml\\n(.*?)```\\n(?=\\n|\\z)");
    private static final Pattern BETWEEN_EXAMPLES = Pattern.compile("(?m)^```\\n.*\\n```toml\\n");
    private static final Pattern LONG_EXAMPLE = Pattern.compile("(?ms)^```toml\\n(\\[\\[(?:class|vfs)]].*?)```$");
    private static final Pattern TYPE = Pattern.compile("^\\*(.*?)\\.\\*");
    private static final Pattern KINDS = Pattern.compile("^\\*.*?\\.\\* For ((?:`\\w+`[, ]*)+)\\.");
    private static final Pattern DEFAULT = Pattern.compile(" Defaults to (.*?)\\.\\s", Pattern.DOTALL);

    static List<ReferenceKey> all() throws IOException {
        List<ReferenceKey> keys = new ArrayList<>();
        Matcher section = SECTION.matcher(Files.readString(FILE));
        while (section.find()) {
            List<String> tables = TABLE.matcher(section.group(1))
                    .results()
                    .map(MatchResult::group)
                    .toList();
            for (String table : tables.isEmpty() ? List.of("") : tables) {
                KEY.matcher(section.group(2))
                        .results()
                        .map(key -> new ReferenceKey(
                                table, key.group(1), key.group(2), List.of(BETWEEN_EXAMPLES.split(key.group(3), -1))))
                        .forEach(keys::add);
            }
        }
        return keys;
    }

    /** The examples that are more than one key. */
    static List<String> longExamples() throws IOException {
        return LONG_EXAMPLE
                .matcher(Files.readString(FILE) + Files.readString(PAGE))
                .results()
                .map(example -> example.group(1))
                .toList();
    }

    String type() {
        return first(TYPE).orElse("");
    }

    boolean isRequired() {
        return text.contains(" Must be given. ");
    }

    /** The value that it has if it is left out, as TOML; empty if that is none that can be said. */
    Optional<String> defaultsTo() {
        if (isRequired()) {
            return Optional.empty();
        }
        String said = first(DEFAULT).orElseThrow(() -> new AssertionError(name + " says no \"Defaults to …\""));
        return said.startsWith("`") ? Optional.of(said.replace("`", "")) : Optional.empty();
    }

    /** The kinds that it is for: all if none is said. */
    List<Kind> kinds() {
        if (name.equals("kind")) {
            return List.of(Kind.values());
        }
        return first(KINDS)
                .map(words -> Stream.of(words.split("[`, ]+", -1))
                        .flatMap(word -> Stream.of(Kind.values())
                                .filter(kind -> kind.word().equals(word)))
                        .toList())
                .orElse(List.of(Kind.values()));
    }

    /** A configuration of one class of that kind, in which the key stands as {@code line} says. */
    String file(Kind kind, String line) {
        String match = "match = { "
                + (kind == Kind.PATH && !name.equals("kind")
                        ? "paths = [\"/etc/gophers/*\"]"
                        : "drivers = [\"vfio-pci\"]")
                + " }\n";
        String resource = name.equals("resource") ? "" : "resource = \"example.com/one\"\n";
        String ofKind = name.equals("kind") ? "" : "kind = \"" + kind.word() + "\"\n";
        return switch (table) {
            case "" -> line + "\n[[class]]\n" + resource + ofKind + match;
            case "metrics", "labels", "dra" ->
                "[[class]]\n" + resource + ofKind + match + "[" + table + "]\n" + line + "\n";
            case "class" -> "[[class]]\n" + resource + ofKind + line + "\n" + match;
            case "class.match" ->
                "[[class]]\n" + resource + ofKind + (line.isEmpty() ? match : "[class.match]\n" + line + "\n");
            case "vfs" ->
                "[[vfs]]\n" + (name.equals("count") ? "" : "count = 1\n") + line
                        + "\nmatch = { drivers = [\"ice\"] }\n";
            case "vfs.match" ->
                "[[vfs]]\ncount = 1\n[vfs.match]\n" + (line.isEmpty() ? "vendors = [\"8086\"]" : line) + "\n";
            case "class.limits" ->
                "[[class]]\n" + resource + ofKind + match + "[class.health]\ncommand = [\"/bin/true\"]\n"
                        + (line.isEmpty() ? "" : "[class.limits]\n" + line + "\n");
            case "class.claims" ->
                "[[class]]\napi = \"dra\"\n" + resource + ofKind + match
                        + (InterfaceReader.KINDS.contains(kind) ? "interface = {}\n" : "")
                        + (kind == Kind.VF ? "[class.prepare.vf]\nvlan = 0\nmac = \"random\"\nmax_tx_rate = 0\n" : "")
                        + "[class.claims]\n" + line + "\n";
            case "class.interface" ->
                "[[class]]\nhand_over = \"cdi\"\n" + resource + ofKind + match + "[" + table + "]\n" + line + "\n";
            case "class.groups" -> {
                String paths = name.equals("paths")
                        ? ""
                        : "paths = [\"/dev/v4l/by-id/usb-*-video-index0\", \"/dev/v4l/by-id/usb-*-video-index2\"]\n";
                yield "[[class]]\n" + resource + ofKind + "[[" + table + "]]\n" + paths + line + "\n";
            }
            case "class.claims.images" -> {
                String digest = "sha256 = \"" + "0".repeat(64) + "\"\n";
                String others = (name.equals("name") ? "" : "name = \"a\"\n")
                        + (name.equals("file") ? "" : "file = \"/x\"\n")
                        + (name.equals("sha256") ? "" : digest);
                yield "[[class]]\napi = \"dra\"\n" + resource + ofKind + match
                        + "[class.prepare.program]\nfile = \"/x\"\n" + digest + "[[" + table + "]]\n" + others + line
                        + "\n";
            }
            case "class.prepare.program", "class.release.program" -> {
                String others = (name.equals("file") ? "" : "file = \"/x\"\n")
                        + (name.equals("sha256") ? "" : "sha256 = \"" + "0".repeat(64) + "\"\n");
                yield "[[class]]\n" + resource + ofKind + match + "[" + table + "]\n" + others + line + "\n";
            }
            default -> "[[class]]\n" + resource + ofKind + match + "[" + table + "]\n" + line + "\n";
        };
    }

    /** A configuration with that line in that table. */
    static String fileWith(String table, String line) {
        return (table.isEmpty() ? "" : "[" + table + "]\n") + line;
    }

    private Optional<String> first(Pattern pattern) {
        return pattern.matcher(text).results().findFirst().map((MatchResult found) -> found.group(1));
    }

    @Override
    public String toString() {
        return table + " " + name;
    }
}
