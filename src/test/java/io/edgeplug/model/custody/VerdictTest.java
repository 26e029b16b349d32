package io.edgeplug.model.custody;

import static io.edgeplug.model.custody.Events.CLAIM;
import static io.edgeplug.model.custody.Events.POD;
import static io.edgeplug.model.custody.Events.START;
import static io.edgeplug.model.custody.Events.after;
import static io.edgeplug.model.custody.Events.begun;
import static io.edgeplug.model.custody.Events.claimed;
import static io.edgeplug.model.custody.Events.face;
import static io.edgeplug.model.custody.Events.failed;
import static io.edgeplug.model.custody.Events.given;
import static io.edgeplug.model.custody.Events.noted;
import static io.edgeplug.model.custody.Events.noting;
import static io.edgeplug.model.custody.Events.quiet;
import static io.edgeplug.model.custody.Events.shared;
import static io.edgeplug.model.custody.Events.traced;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Who gets a device. */
final class VerdictTest {

    private static final Hold MATE = Hold.of(POD, "nic", OptionalInt.of(7));

    private static Optional<String> list(Face face, Custody custody, Map<String, Hold> mates) {
        return Verdict.ofList(face, custody, null, mates).map(Verdict::text);
    }

    private static Optional<String> call(Face face, Custody custody, Map<String, Hold> mates, User... callers) {
        return Verdict.ofCall(face, custody, null, mates, Set.of("A"), Set.of(callers))
                .map(Verdict::text);
    }

    @Test
    void freeDeviceIsOfferedAndGiven() {
        assertThat(list(face("nic"), after(), Map.of())).isEmpty();
        assertThat(call(face("nic"), after(), Map.of())).isEmpty();
    }

    @Test
    void heldDeviceIsNoOtherFaceAndNoClaim() {
        Custody held = after(noted(START, noting("A", POD, "nic")));

        assertThat(list(face("nic"), held, Map.of())).isEmpty();
        assertThat(list(face("face"), held, Map.of())).contains("is held as nic by pod pod (main)");
        assertThat(call(claimed("nic"), held, Map.of())).contains("is held as nic by pod pod (main)");
        assertThat(call(face("nic"), after(noted(START, noting("A", CLAIM, "nic"))), Map.of()))
                .isPresent();
    }

    @Test
    void groupHasOneUser() {
        assertThat(list(face("nic"), after(), Map.of("B", MATE)))
                .contains("its IOMMU group 7 is in use: a container holds B");
        assertThat(call(face("nic"), after(), Map.of("B", MATE)))
                .contains("its IOMMU group 7 is in use: a container holds B");
    }

    @Test
    void podGetsAgainWhatItHadAndMaySkipTheRest() {
        Custody held = after(noted(START, noting("A", POD, "nic")));

        assertThat(list(face("nic"), held, Map.of("A", MATE, "B", MATE))).isEmpty();
        assertThat(call(face("nic"), held, Map.of("A", MATE, "B", MATE), POD)).isEmpty();
        assertThat(call(face("nic"), held, Map.of("A", MATE, "B", MATE), CLAIM)).isPresent();
    }

    @Test
    void startOfTheSameResourceWaitsForTheScrubThatComesSoon() {
        assertThat(list(face("nic"), after(traced("pod")), Map.of()))
                .contains("was used by a pod, and is not scrubbed yet");
        assertThat(call(face("nic"), after(traced("pod")), Map.of())).isEmpty();
        assertThat(call(face("nic"), after(traced("pod"), begun(Work.Kind.SCRUB)), Map.of()))
                .isEmpty();
        assertThat(call(face("face"), after(traced("pod")), Map.of())).isPresent();
    }

    /** Of a class without scrubs, so that nobody waits for one. */
    private static Face plain(String resource) {
        return new Face("A", resource, false, true, false, OptionalInt.empty());
    }

    /** A claim is known as the user before it is asked whether it may be. */
    @Test
    void claimGetsNoDeviceWithTracesOfOthersThoughItIsNoted() {
        Custody noted = after(traced("pod"), quiet(Set.of("pod"), noting("A", CLAIM, "face")));
        Custody own = after(traced("claim"), noted(START, noting("A", CLAIM, "nic")));

        assertThat(call(plain("face"), noted, Map.of())).contains("was used by a pod, and is not scrubbed yet");
        assertThat(call(plain("nic"), own, Map.of())).isEmpty();
    }

    @Test
    void nobodyWaitsForAScrubThatFailsOrIsLateOrNeedsAPerson() {
        Event late = new Event.Late(Work.Kind.SCRUB, "reset");
        Event obstacle = new Event.Obstructed(Optional.of("needs a person"), 0);

        assertThat(call(face("nic"), after(traced("pod"), failed(Work.Kind.SCRUB)), Map.of()))
                .contains("cannot be reset");
        assertThat(call(face("nic"), after(traced("pod"), begun(Work.Kind.SCRUB), late), Map.of()))
                .isPresent();
        assertThat(call(face("nic"), after(traced("pod"), obstacle), Map.of())).contains("needs a person");
    }

    @Test
    void deviceIsNotGivenWhileAPartOfItIsHeld() {
        assertThat(Verdict.ofList(face("nic"), after(), MATE, Map.of())).isPresent();
        assertThat(Verdict.ofCall(face("nic"), after(), MATE, Map.of(), Set.of("A"), Set.of()))
                .isPresent();
    }

    @Test
    void deviceAndItsShareAreNeverGivenTogether() {
        Custody share = after(given("A::0"));
        Custody whole = after(given("A"));

        assertThat(call(face("nic"), share, Map.of())).contains("is held as A::0 by a pod that has just been given it");
        assertThat(call(shared("nic"), whole, Map.of())).contains("is held as A by a pod that has just been given it");
        assertThat(call(shared("nic"), share, Map.of())).isEmpty();
        assertThat(call(face("nic"), whole, Map.of())).isEmpty();
    }

    /** Else the kubelet admits a pod with it, which Allocate then refuses. */
    @Test
    void deviceIsNotOfferedOfWhichAReloadHasChangedTheShares() {
        assertThat(list(face("nic"), after(given("A::0")), Map.of())).isPresent();
        assertThat(list(shared("nic"), after(given("A")), Map.of())).isPresent();
        assertThat(list(shared("nic"), after(given("A::0")), Map.of())).isEmpty();
    }
}
