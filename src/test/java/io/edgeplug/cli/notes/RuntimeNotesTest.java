package io.edgeplug.cli.notes;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What is said of a container runtime that shall move interfaces. */
final class RuntimeNotesTest {

    private static final String NEW = "containerd containerd.io v2.2.1 dea7da592f5d1d2b7755e3a161be07f43fad8f75";
    private static final String OLD =
            "containerd github.com/containerd/containerd v1.7.28 b98a3aace656320842a23f4a392a33f46af97866";
    private static final String MOVES = "{\"linux\": {\"netDevices\": {\n \"enabled\": true\n}}}";

    @Test
    void runtimeThatMovesInterfacesNeedsNoNote() {
        assertThat(RuntimeNotes.lacking(NEW, MOVES)).isEmpty();
        assertThat(RuntimeNotes.lacking(NEW, null)).isEmpty();
        assertThat(RuntimeNotes.lacking("containerd built from a branch", MOVES))
                .isEmpty();
    }

    @Test
    void runtimeThatIsTooOldIsNamed() {
        assertThat(RuntimeNotes.lacking(OLD, MOVES)).singleElement().asString().contains("containerd 2.2", "v1.7.28");
        assertThat(RuntimeNotes.lacking(NEW, "{\"linux\": {}}"))
                .singleElement()
                .asString()
                .contains("runc 1.4", "no netDevices");
    }

    @Test
    void runtimeThatIsNotFoundIsDescribed() {
        assertThat(RuntimeNotes.lacking(null, null)).singleElement().asString().contains("CDI 1.1", "runc 1.4");
    }
}
