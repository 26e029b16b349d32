package io.edgeplug.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page of the handbook: its lines, and its fenced blocks. */
record Page(Path file, List<String> lines, List<Block> blocks) {

    /** A comment that no reader sees. The blocks below it are for a new node like that machine of src/test/machines. */
    private static final Pattern MACHINE = Pattern.compile("<!-- machine: (\\S+) -->");

    private static final String FENCE = "```";
    private static final Pattern INLINE = Pattern.compile("`([^`]*)`");

    /** Where a shell begins a command, up to where the command ends. */
    private static final Pattern COMMAND =
            Pattern.compile("(?:^|[|;&(]\\s*|\\$ |sudo |\\./)edgeplug((?: +[^\\s|;&<>()#'\"]+)+)");

    /**
     * A fenced block.
     *
     * @param machine the name of its machine; empty if the page has named none above it
     * @param node the number of the node among those of the page
     * @param begin the index of its first line in the page
     */
    record Block(String language, String machine, int node, int begin, List<String> lines) {

        int end() {
            return begin + lines.size();
        }

        boolean isOf(String... languages) {
            return List.of(languages).contains(language);
        }
    }

    static Page read(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
        List<Block> blocks = new ArrayList<>();
        String machine = "";
        int node = 0;
        String language = "";
        int begin = -1;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            Matcher named = MACHINE.matcher(line);
            if (begin >= 0 && line.equals(FENCE)) {
                blocks.add(new Block(language, machine, node, begin, lines.subList(begin, i)));
                begin = -1;
            } else if (begin < 0 && line.startsWith(FENCE)) {
                language = line.substring(FENCE.length());
                begin = i + 1;
            } else if (begin < 0 && named.matches()) {
                machine = named.group(1);
                node++;
            }
        }
        return new Page(file, lines, blocks);
    }

    /** The command lines of edgeplug in its blocks and its text, without the program's name. */
    List<String> commands() {
        List<String> codes = new ArrayList<>();
        int copied = 0;
        for (Block block : blocks) {
            codes.addAll(inline(lines.subList(copied, block.begin())));
            codes.addAll(block.isOf("console", "sh") ? block.lines() : List.of());
            copied = block.end();
        }
        codes.addAll(inline(lines.subList(copied, lines.size())));
        return codes.stream()
                .flatMap(code -> COMMAND.matcher(code.strip()).results())
                .map(match -> match.group(1).strip())
                .toList();
    }

    private static List<String> inline(List<String> text) {
        return text.stream()
                .flatMap(line -> INLINE.matcher(line).results())
                .map((MatchResult match) -> match.group(1))
                .toList();
    }
}
