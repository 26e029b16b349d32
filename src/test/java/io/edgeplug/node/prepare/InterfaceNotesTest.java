package io.edgeplug.node.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.node.prepare.InterfaceNotes.Note;
import io.edgeplug.system.kernel.Links.Link;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class InterfaceNotesTest {

    private static Link link(String name, String mac) {
        return new Link(7, name, List.of(), mac, Optional.of(mac), 1500, false, List.of());
    }

    private static final Link BEFORE = link("ens1f0v1", "02:00:00:00:00:01");

    private static final Note NOTE =
            new Note("0000:3b:01.1", "net1", new Guest(Set.of("pod"), Set.of("pod")), BEFORE, List.of());

    @Test
    void settingsFromBeforeAreThoseOfTheSameInterfaceOnly() {
        assertThat(NOTE.before(link("net1", "02:00:00:00:00:01"), false)).contains(BEFORE);
        assertThat(NOTE.before(link("net1", "02:00:00:00:00:02"), false)).isEmpty();
    }

    /** The pod has a new sandbox, and a VF's driver calls the MAC address permanent that its PF has given it. */
    @Test
    void interfaceIsStillTheSameOnceItsFunctionWasGivenAnotherMacAddress() {
        Link now = link("net1", "02:00:00:00:00:02");
        assertThat(NOTE.before(now, true)).contains(link("ens1f0v1", "02:00:00:00:00:02"));
        Note next = new Note(
                NOTE.device(), "net1", NOTE.guest(), NOTE.before(now, true).orElseThrow(), List.of());
        assertThat(next.before(now, false)).isPresent();
    }
}
