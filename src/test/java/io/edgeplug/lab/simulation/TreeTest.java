package io.edgeplug.lab.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TreeTest {

    @TempDir
    Path root;

    @Test
    void textValueEndsWithANewline() throws IOException {
        unpack("""
                a/numa_node = 0
                a/two = one\\ntwo
                a/backslash = \\\\
                a/arrow = b -> c
                a/empty =
                """);
        assertThat(root.resolve("a/numa_node")).hasContent("0\n");
        assertThat(Files.readString(root.resolve("a/two"))).isEqualTo("one\ntwo\n");
        assertThat(Files.readString(root.resolve("a/backslash"))).isEqualTo("\\\n");
        assertThat(Files.readString(root.resolve("a/arrow"))).isEqualTo("b -> c\n");
        assertThat(Files.readString(root.resolve("a/empty"))).isEqualTo("\n");
    }

    @Test
    void valueWithAByteEscapeIsThoseBytesAlone() throws IOException {
        unpack("config = \\xff\\x00A\\n\\x0a");
        assertThat(root.resolve("config")).hasBinaryContent(new byte[] {(byte) 0xff, 0, 'A', '\n', '\n'});
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0\n",
                "\n",
                "a\\b\n",
                "a\tb\nc\n",
                "a  \n",
                "a  ",
                " a\n",
                "\r\n",
                "ü\n",
                "\u0000\u00ff",
                "a\n\n",
                "  \n"
            })
    void valueIsReadAsItWasWritten(String text) {
        AttributeValue value = AttributeValue.of(text.getBytes(StandardCharsets.UTF_8));

        assertThat(AttributeValue.parse(value.text().strip()).bytes()).isEqualTo(value.bytes());
        assertThat(value.text()).doesNotContain("\n");
    }

    @Test
    void pathsAreRelativeToTheirSection() throws IOException {
        unpack("""
                # a comment, then a blank line

                [sys/devices/pci0000:3a]
                irq = 1
                power/
                [sys]
                kernel = 2
                []
                etc/one = 3
                [sys/block]
                [/]
                top = 4
                """);
        assertThat(files())
                .containsExactly(
                        "etc/one", "sys/devices/pci0000:3a/irq", "sys/devices/pci0000:3a/power", "sys/kernel", "top");
        assertThat(root.resolve("sys/devices/pci0000:3a/power")).isEmptyDirectory();
    }

    @Test
    void linkKeepsItsTargetAsWritten() throws IOException {
        unpack("sys/a/driver -> ../../nowhere = at all");
        assertThat(Files.readSymbolicLink(root.resolve("sys/a/driver"))).hasToString("../../nowhere = at all");
    }

    @Test
    void directoryMayBeNamedBeforeOrAfterWhatItHolds() throws IOException {
        unpack("a/\na/b = 1\nc/d = 2\nc/\n");
        assertThat(files()).containsExactly("a/b", "c/d");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            nonsense       | neither "path = value", "path -> target", "path/" nor a section
            a=b            | neither "path = value", "path -> target", "path/" nor a section
            /etc/a = 1     | /etc/a is absolute: paths begin at the node's root
            ../a = 1       | ../a has an empty, . or .. name on its way
            a/../b -> c    | a/../b has an empty, . or .. name on its way
            a//b = 1       | a//b has an empty, . or .. name on its way
            ./a/           | ./a has an empty, . or .. name on its way
            /              | names no path
            [/etc]         | /etc is absolute: paths begin at the node's root
            [a/../..]      | a/../.. has an empty, . or .. name on its way
            [a             | a section is a directory in brackets
            a ->           | the link has no target
            a = \\x4       | \\x needs two hexadecimal digits
            a = \\xg0      | \\x needs two hexadecimal digits
            a = \\t        | a backslash begins \\xNN, \\n or \\\\
            a = b\\        | a backslash begins \\xNN, \\n or \\\\
            file = again   | file is there already, from line 1
            file/below = 1 | file/below leads through line 1, which is no directory
            link/below = 1 | link/below leads through line 2, which is no directory
            dir = 1        | dir is a directory for line 3
            dir -> file    | dir is a directory for line 3
            """)
    void mistakeSaysItsLineAndReason(String line, String reason) {
        String tree = "file = 1\nlink -> /tmp\ndir/inner = 1\n" + line + "\n";
        assertThatThrownBy(() -> unpack(tree))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("line 4: " + reason);
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void absolutePathInASectionIsRefused() {
        assertThatThrownBy(() -> unpack("[sys]\n/etc/a = 1")).hasMessageStartingWith("line 2: /etc/a is absolute");
    }

    @Test
    void textIsUtf8() throws IOException {
        unpack("model = Größe 3");
        assertThat(Files.readAllBytes(root.resolve("model"))).isEqualTo("Größe 3\n".getBytes(StandardCharsets.UTF_8));
    }

    private void unpack(String tree) throws IOException {
        SimulatedNode.unpack(tree, root).close();
    }

    /** All that is not a directory with something in it. */
    private Stream<String> files() throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return all
                    .filter(path -> !Files.isDirectory(path) || path.endsWith("power"))
                    .map(path -> root.relativize(path).toString())
                    .sorted()
                    .toList()
                    .stream();
        }
    }
}
