package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What is read of a command line that names its command is the same as if all commands were there. */
final class CommandsTest {

    @Test
    void eachCommandBearsTheNameThatItIsCalledBy() {
        assertThat(Commands.commandLine().getSubcommands())
                .allSatisfy((name, command) ->
                        assertThat(command.getCommandSpec().name()).isEqualTo(name));
    }

    @ParameterizedTest
    @MethodSource("names")
    void helpOfOneCommandIsThatAmongAll(String name) {
        String[] args = {name, "--help"};

        assertThat(output(Commands.commandLine(args), args)).isEqualTo(output(Commands.commandLine(), args));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "help list", "lst", "list --wrong", "--wrong list", "--version", "-V"})
    void whatNamesNoCommandFirstIsReadAmongAll(String line) {
        String[] args = line.split(" ");

        assertThat(output(Commands.commandLine(args), args)).isEqualTo(output(Commands.commandLine(), args));
    }

    /** The message would be above the screen if the help came below it. */
    @Test
    void wrongUsageIsALineAndWhereTheHelpIs() {
        Console console = new Console();

        assertThat(console.execute("list", "-o", "FOO")).isEqualTo(2);
        assertThat(console.text().lines())
                .satisfiesExactly(
                        line -> assertThat(line)
                                .startsWith("edgeplug list: unknown column \"FOO\", the columns are DEVICE, "),
                        line -> assertThat(line).isEqualTo("see edgeplug list --help"));
    }

    @Test
    void onlyTheCommandThatIsNamedIsMade() {
        assertThat(Commands.commandLine(new String[] {"list", "-n"}).getSubcommands())
                .containsOnlyKeys("list");
    }

    private static Stream<String> names() {
        return Commands.commandLine().getSubcommands().keySet().stream();
    }

    /** What it prints, and its exit code. */
    private static String output(CommandLine commands, String[] args) {
        StringWriter printed = new StringWriter();
        PrintWriter writer = new PrintWriter(printed, true);
        int exit = commands.setOut(writer).setErr(writer).execute(args);
        return printed + "exit " + exit;
    }
}
