package io.edgeplug.prepare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Notes that cannot be written. */
final class NotesTest {

    private static final String USED = "var/lib/edgeplug/used";

    @TempDir
    private Path directory = Path.of("");

    @Test
    void noteThatCannotBeWrittenLeavesNothing() throws Exception {
        try (PreparedNode prepared = PreparedNode.open(directory)) {
            Notes notes = new Notes(prepared.node.sysfs(), USED);
            Files.createDirectories(prepared.node.root().resolve(USED + "/x.used/in the way"));

            assertThatThrownBy(() -> notes.write("x.used", new Properties())).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> notes.writeForGood("x.used", new Properties()))
                    .isInstanceOf(IOException.class);

            assertThat(notes.names()).containsExactly("x.used");
        }
    }
}
