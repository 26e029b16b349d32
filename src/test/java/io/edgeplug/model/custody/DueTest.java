package io.edgeplug.model.custody;

import static io.edgeplug.model.custody.Events.OTHER;
import static io.edgeplug.model.custody.Events.POD;
import static io.edgeplug.model.custody.Events.START;
import static io.edgeplug.model.custody.Events.after;
import static io.edgeplug.model.custody.Events.begun;
import static io.edgeplug.model.custody.Events.failed;
import static io.edgeplug.model.custody.Events.noted;
import static io.edgeplug.model.custody.Events.noting;
import static io.edgeplug.model.custody.Events.quiet;
import static io.edgeplug.model.custody.Events.starting;
import static io.edgeplug.model.custody.Events.traced;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What must happen next to a device with traces. */
final class DueTest {

    private static Due due(Custody custody) {
        return Due.of(custody, false, true, true, null, 0);
    }

    @Test
    void nothingIsDueWithoutTraces() {
        assertThat(due(after())).isInstanceOf(Due.Nothing.class);
        assertThat(due(after(noted(START, noting("A", POD, "nic"))))).isInstanceOf(Due.Nothing.class);
    }

    @Test
    void scrubIsDueOnceItsUsersHaveGone() {
        Event pod = noted(START, noting("A", POD, "nic"));

        assertThat(due(after(traced("pod"), quiet(Set.of("pod"))))).isInstanceOf(Due.Scrub.class);
        assertThat(due(after(traced("pod"), noted(START)))).isEqualTo(new Due.Later(Due.ENDING_LOOK));
        assertThat(due(after(traced("pod"), pod, quiet(Set.of("pod"), noting("A", POD, "nic")))))
                .isInstanceOf(Due.Nothing.class);
    }

    /** Else all notes would be read twice a second for as long as a pod runs. */
    @Test
    void nothingIsDueWhileAUserHasTheDevice() {
        Event pod = noted(START, noting("A", POD, "nic"));

        assertThat(due(after(traced("pod"), pod))).isInstanceOf(Due.Nothing.class);
        assertThat(due(after(traced("pod", "other"), pod))).isInstanceOf(Due.Nothing.class);
        assertThat(due(after(traced("other"), pod))).isEqualTo(new Due.Later(Due.ENDING_LOOK));
    }

    @Test
    void scrubBeginsForANextUserOnlyWhileItsStartWaits() {
        Custody next = after(traced("pod"), quiet(Set.of("pod"), noting("A", OTHER, "nic")));

        assertThat(Due.objection(next, false)).contains("is held by pod other (main)");
        assertThat(Due.objection(Rules.on(next, starting("other", 1)), false)).isEmpty();
        assertThat(due(Rules.on(next, starting("other", 1)))).isInstanceOf(Due.Scrub.class);
    }

    /** Its pod may wait for its image for long, or for ever. */
    @Test
    void shareWhoseContainerHasNotStartedDelaysNoScrub() {
        Event two = quiet(Set.of("gone"), noting("A::0", POD, "nic"), noting("A::1", OTHER, "nic"));

        assertThat(Due.objection(after(traced("gone"), two, starting("pod", 1)), false))
                .isEmpty();

        Event.Noting runs = new Event.Noting("A::1", OTHER, "nic", OptionalInt.empty(), Optional.empty(), true);
        assertThat(Due.objection(after(traced("gone"), two, quiet(Set.of("gone"), runs)), false))
                .contains("is held by pod other (main)");
    }

    @Test
    void staticPodKeepsItsOwnTraces() {
        Custody again = after(traced("pod"), quiet(Set.of("pod"), noting("A", POD, "nic")), starting("pod", 1));

        assertThat(Due.objection(again, false)).contains("is held by pod pod (main)");
    }

    @Test
    void scrubWaitsForOtherPartsForWorkForTheDeviceAndForNotes() {
        Custody ready = after(traced("pod"), quiet(Set.of("pod")));

        assertThat(Due.of(ready, true, true, true, null, 0)).isInstanceOf(Due.Nothing.class);
        assertThat(Due.of(ready, false, false, true, null, 0)).isInstanceOf(Due.Nothing.class);
        assertThat(Due.of(ready, false, true, false, null, 0)).isInstanceOf(Due.Nothing.class);
        assertThat(due(Rules.on(ready, begun(Work.Kind.SCRUB)))).isInstanceOf(Due.Nothing.class);
    }

    @Test
    void failedScrubIsTriedAgainAfterItsPause() {
        Custody failed = after(traced("pod"), quiet(Set.of("pod")), failed(Work.Kind.SCRUB));

        assertThat(due(failed)).isEqualTo(new Due.Later(Duration.ofSeconds(5)));
        assertThat(Due.of(failed, false, true, true, null, Duration.ofSeconds(5).toNanos()))
                .isInstanceOf(Due.Scrub.class);
    }

    @Test
    void personDecidesFirst() {
        assertThat(Due.of(after(traced("pod")), false, true, false, "needs a person", 0))
                .isEqualTo(new Due.Obstacle("needs a person"));
        assertThat(Due.of(after(), false, true, true, "needs a person", 0)).isInstanceOf(Due.Nothing.class);
    }
}
