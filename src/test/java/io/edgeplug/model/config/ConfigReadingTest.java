package io.edgeplug.model.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A configuration that is read while somebody writes it. */
final class ConfigReadingTest {

    @TempDir
    private Path directory = Path.of("");

    private ConfigDirectory config = new ConfigDirectory(directory);

    @BeforeEach
    void setUp() throws IOException {
        config = new ConfigDirectory(directory);
        Files.createDirectory(directory.resolve("class.d"));
        config.write("edgeplug.toml", ConfigDirectory.GOOD.formatted("main"));
        config.write("class.d/10-a.toml", ConfigDirectory.GOOD.formatted("a"));
    }

    /** Ansible writes a whole file beside the one that it replaces, and Emacs marks one with a link to nowhere. */
    @Test
    void hiddenFilesAreNoneAndALinkToNowhereIsAMistake() throws Exception {
        config.write("class.d/.ansible_tmp7x10-a.toml", ConfigDirectory.GOOD.formatted("a"));
        Files.createSymbolicLink(directory.resolve("class.d/.#10-a.toml"), Path.of("root@node.1203:1794"));

        assertThat(ConfigFiles.read(config.main()).classes()).hasSize(2);

        Files.createSymbolicLink(directory.resolve("class.d/20-b.toml"), directory.resolve("nowhere"));
        config.assertMistakes("class.d/20-b.toml: no such file");
    }

    /** As {@code cp} does: the file is empty for a moment. */
    @Test
    void fileThatIsWrittenDuringTheLookIsReadAgain() throws Exception {
        AtomicInteger looks = new AtomicInteger();

        Config read = new ConfigReading(config.main()).read(main -> {
            if (looks.incrementAndGet() > 1) {
                return ConfigFiles.look(main);
            }
            config.write("class.d/10-a.toml", "");
            Config halfWritten = ConfigFiles.look(main);
            config.write(
                    "class.d/10-a.toml", ConfigDirectory.GOOD.formatted("a") + ConfigDirectory.GOOD.formatted("b"));
            return halfWritten;
        });

        assertThat(read.classes()).hasSize(3);
        assertThat(looks).hasValue(2);
    }

    @Test
    void fileThatIsRenamedDuringTheLookIsNoMistake() throws Exception {
        Path before = directory.resolve("class.d/10-a.toml");
        ConfigReading reading = new ConfigReading(config.main());

        Config read = reading.read(main -> {
            if (Files.exists(before)) {
                Files.move(before, directory.resolve("class.d/20-a.toml"));
                throw new ConfigException(List.of(before + ": no such file"));
            }
            return ConfigFiles.look(main);
        });

        assertThat(read.classes()).hasSize(2);
        assertThat(reading.firstChange()).isEmpty();
    }

    @Test
    void filesThatAreWrittenAllTheTimeAreTakenAsTheyAre() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        ConfigReading reading = new ConfigReading(config.main());

        Config read = reading.read(main -> {
            Config found = ConfigFiles.look(main);
            config.write("class.d/20-b.toml", "#".repeat(looks.incrementAndGet()));
            return found;
        });

        assertThat(read.classes()).hasSize(2);
        assertThat(looks).hasValue(3);
        assertThat(reading.firstChange()).contains(directory.resolve("class.d/20-b.toml"));
    }
}
