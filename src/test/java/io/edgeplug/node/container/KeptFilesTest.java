package io.edgeplug.node.container;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KeptFilesTest {

    private static final String NAME = "ours.json";

    @TempDir
    private Path directory = Path.of("");

    @Test
    void fileThatCouldNotBeWrittenAnewGoesWithItsDevice() throws Exception {
        KeptFiles files = files();
        assertThat(files.keep(content("one"))).isEmpty();
        fail(files);

        assertThat(files.update(Map.of(), List.of(NAME))).isEmpty();

        assertThat(directory.resolve(NAME)).doesNotExist();
    }

    @Test
    void fileThatCouldNotBeWrittenAnewGoesWithAllOthers() throws Exception {
        KeptFiles files = files();
        assertThat(files.keep(content("one"))).isEmpty();
        fail(files);

        assertThat(files.keep(Map.of())).isEmpty();

        assertThat(directory.resolve(NAME)).doesNotExist();
    }

    @Test
    void fileThatCouldNotBeRemovedIsRemovedLater() throws Exception {
        KeptFiles files = files();
        assertThat(files.keep(content("one"))).isEmpty();
        Path file = directory.resolve(NAME);
        Files.delete(file);
        Files.createDirectory(file);

        assertThat(files.keep(Map.of())).isEmpty();
        Files.delete(file);
        Files.writeString(file, "left");
        assertThat(files.keep(Map.of())).isEmpty();

        assertThat(file).doesNotExist();
    }

    @Test
    void filesOfAnEarlierRunGoThoughTheDirectoryCouldNotBeReadAtFirst() throws Exception {
        Path place = Files.createFile(directory.resolve("kept"));
        KeptFiles files = new KeptFiles(place, name -> name.endsWith(".json"));
        assertThat(files.keep(content("one"))).containsOnlyKeys(NAME);
        Files.delete(place);
        Path old = Files.writeString(Files.createDirectory(place).resolve("old.json"), "left");

        assertThat(files.update(content("one"), List.of())).isEmpty();
        assertThat(files.hasLeftovers()).isTrue();
        assertThat(files.keep(content("one"))).isEmpty();

        assertThat(old).doesNotExist();
        assertThat(files.hasLeftovers()).isFalse();
    }

    @Test
    void fileWhosePermissionsWereChangedIsNotAsItWas() throws Exception {
        KeptFiles files = files();
        assertThat(files.keep(content("one"))).isEmpty();
        assertThat(files.isUntouched(NAME)).isTrue();

        Files.setPosixFilePermissions(directory.resolve(NAME), PosixFilePermissions.fromString("rw-------"));
        assertThat(files.isUntouched(NAME)).isFalse();

        assertThat(files.update(content("one"), List.of())).isEmpty();
        assertThat(files.isUntouched(NAME)).isTrue();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve(NAME))))
                .isEqualTo("rw-r--r--");
    }

    /** Whoever is interrupted can write no file. */
    private static void fail(KeptFiles files) {
        Thread.currentThread().interrupt();
        assertThat(files.update(content("other"), List.of())).containsOnlyKeys(NAME);
        assertThat(Thread.interrupted()).isTrue();
    }

    private KeptFiles files() {
        return new KeptFiles(directory, NAME::equals);
    }

    private static Map<String, byte[]> content(String text) {
        return Map.of(NAME, text.getBytes(UTF_8));
    }
}
