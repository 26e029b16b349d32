package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.cli.options.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Holds docs/commands.md against the commands, their options and their exit status. */
final class CommandsPageTest {

    private static final Path PAGE = Path.of("docs", "commands.md");
    private static final String PROGRAM = "edgeplug ";

    private static final Pattern SECTION = Pattern.compile("(?ms)^## (.*?)\\n(.*?)(?=^## |\\z)");

    /** A row about options: their names, and either the commands that have them or what they do. */
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (`-.*?)(?<!\\\\)\\|(.*?)(?<!\\\\)\\|");

    private static final Pattern OPTION = Pattern.compile("`(--?\\w[\\w-]*)");
    private static final Pattern COMMAND = Pattern.compile("`([\\w -]+)`");
    private static final Pattern STATUS = Pattern.compile("(?m)^\\| (\\d+) \\|");

    @Test
    void pageHasEachCommandWithItsOptionsOnceAndNoOther() throws IOException {
        Map<String, List<String>> real = new TreeMap<>();
        commands(Commands.commandLine())
                .forEach(command -> real.put(command.qualifiedName().substring(PROGRAM.length()), options(command)));

        assertThat(documented()).isEqualTo(real);
    }

    @Test
    void pageHasEachExitStatus() throws IOException {
        List<Integer> documented = all(STATUS, section("Exit status")).stream()
                .map(Integer::valueOf)
                .toList();

        assertThat(documented)
                .containsExactly(
                        ExitCode.OK, ExitCode.FAILURE, CommandLine.ExitCode.USAGE, ExitCode.BUG, ExitCode.CONFIG);
    }

    /** The commands that do something, and not those that only have others below them. */
    private static Stream<CommandSpec> commands(CommandLine command) {
        return command.getSubcommands().values().stream()
                .flatMap(one -> one.getSubcommands().isEmpty() ? Stream.of(one.getCommandSpec()) : commands(one));
    }

    /** All but help and version, which every command has. */
    private static List<String> options(CommandSpec command) {
        return command.options().stream()
                .filter(option -> !option.usageHelp() && !option.versionHelp())
                .flatMap(option -> Stream.of(option.names()))
                .sorted()
                .toList();
    }

    private static Map<String, List<String>> documented() throws IOException {
        Map<String, List<String>> documented = new TreeMap<>();
        sections().forEach((heading, text) -> {
            if (heading.startsWith("`" + PROGRAM)) {
                String name = heading.substring(PROGRAM.length() + 1, heading.length() - 1);
                documented.put(name, new ArrayList<>());
                rows(text).forEach(row -> add(documented, name, row));
            }
        });
        rows(section("Options of several commands"))
                .forEach(row -> all(COMMAND, row.group(2)).forEach(name -> add(documented, name, row)));
        documented.values().forEach(options -> options.sort(Comparator.naturalOrder()));
        return documented;
    }

    private static void add(Map<String, List<String>> documented, String command, MatchResult row) {
        documented.computeIfAbsent(command, name -> new ArrayList<>()).addAll(all(OPTION, row.group(1)));
    }

    private static Stream<MatchResult> rows(String text) {
        return ROW.matcher(text).results();
    }

    private static String section(String heading) throws IOException {
        return sections().getOrDefault(heading, "");
    }

    private static Map<String, String> sections() throws IOException {
        Map<String, String> sections = new TreeMap<>();
        SECTION.matcher(Files.readString(PAGE))
                .results()
                .forEach(section -> assertThat(sections.put(section.group(1), section.group(2)))
                        .as(section.group(1))
                        .isNull());
        return sections;
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(found -> found.group(1)).toList();
    }
}
