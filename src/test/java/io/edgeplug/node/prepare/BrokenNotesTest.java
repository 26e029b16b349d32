package io.edgeplug.node.prepare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.model.device.PrepareException;
import io.edgeplug.model.rules.KeptFunctions;
import io.edgeplug.model.rules.Recipe;
import io.edgeplug.system.files.Notes;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Notes of interfaces that are no notes: they concern their own devices alone. */
@Timeout(60)
final class BrokenNotesTest extends InterfacesCase {

    private Path notes = Path.of("");

    @BeforeEach
    void make() throws IOException {
        notes = Files.createDirectories(root.resolve("run/edgeplug/interfaces"));
    }

    private void expect(int number) throws PrepareException {
        interfaces()
                .expect(new TreeMap<>(Map.of(id(number), POD)), ALL, new Recipe(List.of(MOVED), Recipe.USUAL_TIMEOUT));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "garbage", "mtu=x\n", "\\u12", "made=1\nmtu=1500\n", "made=1\nmtu=1500\nname=a\n"})
    void brokenNoteHoldsUpItsOwnDeviceAlone(String text) throws Exception {
        Files.writeString(notes.resolve(id(1)), text);

        expect(2);
        assertThatThrownBy(() -> expect(1))
                .hasMessageContaining("cannot be given to a pod: ")
                .hasMessageContaining("/run/edgeplug/interfaces/" + id(1) + ": is no note");
        assertThatThrownBy(() -> interfaces().takeBack(vf(1), KeptFunctions.NONE))
                .hasMessageContaining("/run/edgeplug/interfaces/");
    }

    @Test
    void directoryInThePlaceOfANoteHoldsUpItsOwnDeviceAlone() throws Exception {
        Files.createDirectories(notes.resolve(id(1)).resolve("full"));

        expect(2);
        assertThatThrownBy(() -> expect(1)).hasMessageContaining("interfaces/" + id(1) + ": is no file");
    }

    @Test
    void whatAKilledProcessHasNotFinishedIsNoNote() throws Exception {
        Files.writeString(notes.resolve(id(1) + ".4194305.1.part"), "made=");

        assertThat(new Notes(Sysfs.at(root), "run/edgeplug/interfaces").names()).isEmpty();
        expect(1);
    }
}
