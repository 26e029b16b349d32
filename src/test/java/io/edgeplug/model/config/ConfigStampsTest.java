package io.edgeplug.model.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which change of a configuration's files is noticed. */
final class ConfigStampsTest {

    @TempDir
    private Path directory = Path.of("");

    private Path main = Path.of("");

    @BeforeEach
    void files() throws IOException {
        main = write("edgeplug.toml");
        Files.createDirectory(directory.resolve("class.d"));
    }

    private Path write(String name) throws IOException {
        return Files.writeString(directory.resolve(name), "# nothing\n");
    }

    private void writtenAt(Path file, int second) throws IOException {
        Path ignored = Files.setLastModifiedTime(file, FileTime.fromMillis(second * 1000L));
    }

    @Test
    void fileThatIsWrittenIsAChangeAlsoWithAnOlderTime() throws IOException {
        writtenAt(main, 2000);
        ConfigStamps before = ConfigStamps.of(main);
        assertThat(before.firstChange(ConfigStamps.of(main))).isEmpty();

        writtenAt(main, 1000);

        assertThat(before.firstChange(ConfigStamps.of(main))).contains(main);
    }

    @Test
    void fileOfClassesThatIsNewOrRemovedIsAChange() throws IOException {
        ConfigStamps without = ConfigStamps.of(main);
        Path classes = write("class.d/50-a.toml");
        ConfigStamps with = ConfigStamps.of(main);

        assertThat(without.firstChange(with)).contains(classes);
        assertThat(with.firstChange(without)).contains(classes);
    }

    @Test
    void fileThatIsNoConfigurationIsNone() throws IOException {
        ConfigStamps before = ConfigStamps.of(main);

        write("class.d/.50-a.toml.swp");
        write("class.d/.ansible_tmp50-a.toml");

        assertThat(before.firstChange(ConfigStamps.of(main))).isEmpty();
    }
}
