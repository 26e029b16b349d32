package io.edgeplug.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.cli.Commands;
import io.edgeplug.docs.Page.Block;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * Follows each guide on the machines that it names. Writes its files, checks its classes, runs its commands, and
 * compares their output with the page. {@code -Dupdate} rewrites the page.
 */
@Timeout(120)
final class GuidesTest {

    private static final Path DOCS = Path.of("docs");
    private static final Pattern GUIDES = Pattern.compile("(?ms)^## Guides\n(.*?)(?=^## |\\z)");
    private static final Pattern LINK = Pattern.compile("(?m)^- \\[.*?]\\((\\S+)\\)");
    private static final Pattern RESOURCE = Pattern.compile("(?<![\\w.])(example\\.com/[\\w-]+)");
    private static final Pattern CLASS = Pattern.compile("(?m)^resource = \"(\\S+)\"$");

    @TempDir
    private Path directory = Path.of("");

    /** The page Start, and the guides of the index. */
    static List<Path> guides() throws IOException {
        Matcher listed = GUIDES.matcher(Files.readString(DOCS.resolve("README.md")));
        assertThat(listed.find()).isTrue();
        Stream<String> guides = LINK.matcher(listed.group(1)).results().map((MatchResult link) -> link.group(1));
        return Stream.concat(Stream.of("start.md"), guides).map(DOCS::resolve).toList();
    }

    @ParameterizedTest
    @MethodSource("guides")
    void commandsPrintWhatTheGuideShows(Path file) throws IOException {
        Page page = Page.read(file);
        assertThat(page.blocks())
                .as("blocks that are followed, below a machine")
                .anyMatch(block -> block.isOf("console"))
                .allMatch(block -> !block.machine().isEmpty() || !block.isOf("console", "toml"));
        String actual = followed(page);

        if (System.getProperty("update") != null) {
            Files.writeString(file, actual);
        }
        assertThat(actual).isEqualTo(Files.readString(file));
    }

    /** The page with the output of its commands. */
    private String followed(Page page) throws IOException {
        List<String> lines = new ArrayList<>();
        int copied = 0;
        List<Integer> nodes = page.blocks().stream()
                .filter(block -> !block.machine().isEmpty())
                .map(Block::node)
                .distinct()
                .toList();
        for (int number : nodes) {
            List<Block> blocks = page.blocks().stream()
                    .filter(block -> block.node() == number)
                    .toList();
            try (GuideNode node =
                    GuideNode.unpack(blocks.getFirst().machine(), Files.createTempDirectory(directory, "node"))) {
                for (Block block : blocks) {
                    lines.addAll(page.lines().subList(copied, block.begin()));
                    lines.addAll(node.follow(block));
                    copied = block.end();
                }
            }
        }
        lines.addAll(page.lines().subList(copied, page.lines().size()));
        return String.join("\n", lines) + "\n";
    }

    @ParameterizedTest
    @MethodSource("guides")
    void commandsAndOptionsThatTheGuideNamesExist(Path file) throws IOException {
        assertThat(Page.read(file).commands().stream().flatMap(command -> mistake(command).stream()))
                .isEmpty();
    }

    @ParameterizedTest
    @MethodSource("guides")
    void resourcesThatPodsAskForHaveAClassInTheGuide(Path file) throws IOException {
        List<Block> blocks = Page.read(file).blocks();

        assertThat(found(RESOURCE, blocks, "yaml", "sh")).isSubsetOf(found(CLASS, blocks, "toml"));
    }

    private static Set<String> found(Pattern pattern, List<Block> blocks, String... languages) {
        return blocks.stream()
                .filter(block -> block.isOf(languages))
                .flatMap(block ->
                        pattern.matcher(String.join("\n", block.lines())).results())
                .map((MatchResult match) -> match.group(1))
                .collect(Collectors.toSet());
    }

    private static Optional<String> mistake(String command) {
        try {
            Commands.commandLine().parseArgs(command.split(" +", -1));
            return Optional.empty();
        } catch (CommandLine.MissingParameterException e) {
            // The text may name a command without its arguments.
            return Optional.empty();
        } catch (CommandLine.ParameterException e) {
            return Optional.of(command + ": " + e.getMessage());
        }
    }
}
