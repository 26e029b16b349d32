package io.edgeplug.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Machine;
import io.edgeplug.cli.Commands;
import io.edgeplug.docs.Page.Block;
import io.edgeplug.lab.simulation.SimulatedNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine;

/** A machine of {@code src/test/machines}, on which a page's files are written and its commands are run. */
final class GuideNode implements AutoCloseable {

    private static final String CONFIG = "/etc/edgeplug/edgeplug.toml";
    private static final String PROMPT = "$ ";

    /** The first line of a block that is a file. */
    private static final Pattern NAMED = Pattern.compile("# (\\S+\\.(?:toml|yaml))");

    private static final Pattern REDIRECTED = Pattern.compile("(.*\\S) *>(\\S+)");

    /** Stands for any lines. */
    private static final String ELLIPSIS = "...";

    private final SimulatedNode node;
    private final List<String> relative = new ArrayList<>();

    private GuideNode(SimulatedNode node) {
        this.node = node;
    }

    static GuideNode unpack(String machine, Path directory) throws IOException {
        GuideNode unpacked =
                new GuideNode(SimulatedNode.unpack(Files.readString(Machine.file(machine, "tree")), directory));
        unpacked.write(CONFIG, "");
        return unpacked;
    }

    /** Writes the file or runs the commands of a block, and returns the lines that it should have. */
    List<String> follow(Block block) throws IOException {
        if (block.isOf("console")) {
            return commands(block.lines());
        }
        if (block.isOf("toml", "yaml") && !block.lines().isEmpty()) {
            Matcher name = NAMED.matcher(block.lines().getFirst());
            assertThat(name.matches() || block.isOf("yaml"))
                    .as("a line \"# /etc/edgeplug/…\" above %s", block.lines())
                    .isTrue();
            if (name.matches()) {
                write(name.group(1), String.join("\n", block.lines()) + "\n");
            }
            if (block.isOf("toml")) {
                assertThat(run("edgeplug check")).noneMatch(GuideNode::isError);
            }
        }
        return block.lines();
    }

    /** Each command with its output, or with the part of the output that the page shows. */
    private List<String> commands(List<String> lines) throws IOException {
        List<String> followed = new ArrayList<>();
        int begin = 0;
        for (int end = 1; end <= lines.size(); end++) {
            if (end == lines.size() || lines.get(end).startsWith(PROMPT)) {
                String command = lines.get(begin);
                assertThat(command).startsWith(PROMPT);
                List<String> shown = lines.subList(begin + 1, end);
                List<String> printed = run(command.substring(PROMPT.length()));
                followed.add(command);
                followed.addAll(matches(printed, shown) ? shown : printed);
                begin = end;
            }
        }
        return followed;
    }

    private void write(String file, String text) throws IOException {
        if (!file.startsWith("/")) {
            relative.add(file);
        }
        Path path = path(file);
        Files.createDirectories(path.resolveSibling(""));
        Files.writeString(path, text);
    }

    /** A file's place below the node's root, which is also the directory in which the commands run. */
    private Path path(String file) {
        return node.root().resolve(file.startsWith("/") ? file.substring(1) : file);
    }

    /** Runs a command in this process as if the node's root were this machine's, and returns its output. */
    private List<String> run(String line) throws IOException {
        Matcher redirected = REDIRECTED.matcher(line);
        String command = redirected.matches() ? redirected.group(1) : line;
        StringWriter out = new StringWriter();
        PrintWriter writer = new PrintWriter(out, true);
        int exit = Commands.commandLine().setOut(writer).setErr(writer).execute(arguments(command));
        String text = out.toString();
        for (String file : relative) {
            text = text.replace(path(file).toString(), file);
        }
        text = text.replace(node.root().toString(), "");
        List<String> printed = text.lines().toList();
        assertThat(exit == 0).as(text).isEqualTo(printed.stream().noneMatch(GuideNode::isError));
        if (redirected.matches()) {
            assertThat(exit).as(text).isZero();
            write(redirected.group(2), text);
            return List.of();
        }
        return printed;
    }

    private static boolean isError(String line) {
        return line.startsWith("edgeplug: ");
    }

    private String[] arguments(String command) {
        List<String> words = List.of(command.split(" +", -1));
        assertThat(words.getFirst()).as(command).isIn("edgeplug", "./edgeplug");
        List<String> arguments = new ArrayList<>();
        CommandLine reader = Commands.commandLine();
        for (String word : words.subList(1, words.size())) {
            reader = reader.getSubcommands().getOrDefault(word, reader);
            arguments.add(relative.contains(word) ? path(word).toString() : word);
        }
        if (reader.getCommandSpec().optionsMap().containsKey("--sysroot")) {
            arguments.addAll(List.of("--sysroot", node.root().toString()));
        }
        if (reader.getCommandSpec().optionsMap().containsKey("--config") && !words.contains("--config")) {
            arguments.addAll(List.of("--config", path(CONFIG).toString()));
        }
        return arguments.toArray(String[]::new);
    }

    /** Whether that was printed. The page may leave out lines, and the ends of long ones. */
    private static boolean matches(List<String> printed, List<String> shown) {
        StringBuilder pattern = new StringBuilder();
        for (String line : shown) {
            if (line.strip().equals(ELLIPSIS)) {
                pattern.append("(?:.*\n)*?");
            } else if (line.endsWith(ELLIPSIS)) {
                pattern.append(Pattern.quote(line.substring(0, line.length() - ELLIPSIS.length())))
                        .append(".*\n");
            } else {
                pattern.append(Pattern.quote(line)).append("\n");
            }
        }
        String text = printed.stream().map(line -> line + "\n").collect(Collectors.joining());
        return Pattern.matches(pattern.toString(), text);
    }

    @Override
    public void close() {
        node.close();
    }
}
