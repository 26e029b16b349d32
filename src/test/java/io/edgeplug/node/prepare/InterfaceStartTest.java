package io.edgeplug.node.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.node.prepare.InterfaceStart.Place;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where the interface is, and who had it last: what a start does. */
final class InterfaceStartTest {

    private static final Guest STARTS = new Guest(Set.of("a"), Set.of("a"), Set.of("sandbox-2", "main-3"));

    @ParameterizedTest
    @CsvSource({
        // place, the last one and the cgroups of its pod when it got the interface, what happens
        "NODE,    nobody,       ,                     MOVE",
        "NODE,    a,            sandbox-2,            MOVE",
        "NODE,    a,            sandbox-1,            MOVE",
        "NODE,    b,            sandbox-9,            MOVE",
        "AWAY,    nobody,       ,                     TAKEN_BY_OTHERS",
        "AWAY,    a,            sandbox-2,            STAY",
        "AWAY,    a,            sandbox-2 init-1,     STAY",
        "AWAY,    a,            sandbox-1,            AWAIT",
        "AWAY,    a,            sandbox-1 init-1,     AWAIT",
        // A runtime may have no cgroup for a sandbox, and a claim is prepared before there is one.
        "AWAY,    a,            ,                     STAY",
        "AWAY,    b,            sandbox-2,            HAD_BY_OTHER",
        "AWAY,    b,            ,                     HAD_BY_OTHER",
        "NOWHERE, nobody,       ,                     MISSING",
        "NOWHERE, a,            sandbox-2,            MISSING",
        "NOWHERE, b,            sandbox-9,            MISSING",
    })
    void placeAndLastGuestDecide(Place place, String last, String cgroups, InterfaceStart expected) {
        Set<String> sandbox = cgroups == null ? Set.of() : Set.of(cgroups.split(" "));
        Guest noted = last.equals("nobody") ? null : new Guest(Set.of(last), Set.of(last), sandbox);
        assertThat(InterfaceStart.of(place, noted, STARTS)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "MOVE, false",
        "STAY, false",
        "AWAIT, true",
        "HAD_BY_OTHER, true",
        "TAKEN_BY_OTHERS, true",
        "MISSING, true"
    })
    void whatMustNotStartHasAReason(InterfaceStart start, boolean isRefused) {
        assertThat(start.refusal().isPresent()).isEqualTo(isRefused);
    }
}
