package io.edgeplug.model.config;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Configuration files that a test writes, and what is told of them. */
record ConfigDirectory(Path directory) {

    static final String GOOD = """
            [[class]]
            resource = "example.com/%s"
            kind = "vf"
            [class.match]
            vendors = ["8086"]
            """;

    Path main() {
        return directory.resolve("edgeplug.toml");
    }

    void write(String name, String text) throws IOException {
        Files.writeString(directory.resolve(name), text);
    }

    /** Whether these are told, each with its file. */
    void assertMistakes(String... mistakes) {
        assertThatThrownBy(() -> ConfigFiles.read(main()))
                .isInstanceOf(ConfigException.class)
                .extracting(e -> String.valueOf(e.getMessage())
                        .lines()
                        .map(line -> line.replaceFirst("^" + directory + "/", ""))
                        .toList())
                .isEqualTo(List.of(mistakes));
    }
}
