package io.edgeplug.model.custody;

import static io.edgeplug.model.custody.Events.CLAIM;
import static io.edgeplug.model.custody.Events.LATER;
import static io.edgeplug.model.custody.Events.OTHER;
import static io.edgeplug.model.custody.Events.POD;
import static io.edgeplug.model.custody.Events.START;
import static io.edgeplug.model.custody.Events.after;
import static io.edgeplug.model.custody.Events.begun;
import static io.edgeplug.model.custody.Events.ended;
import static io.edgeplug.model.custody.Events.failed;
import static io.edgeplug.model.custody.Events.forgotten;
import static io.edgeplug.model.custody.Events.given;
import static io.edgeplug.model.custody.Events.noted;
import static io.edgeplug.model.custody.Events.noting;
import static io.edgeplug.model.custody.Events.quiet;
import static io.edgeplug.model.custody.Events.starting;
import static io.edgeplug.model.custody.Events.traced;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.CpuTime;
import io.edgeplug.model.custody.Event.Noting;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How a record changes with each event. The model tests what follows for the node. */
final class RulesTest {

    private static final Duration DAY = Duration.ofDays(1);

    private static String user(Custody custody, String id) {
        return Optional.ofNullable(custody.holds().get(id))
                .map(hold -> hold.isGrant() ? "given" : hold.user().uid())
                .orElse("nobody");
    }

    @Test
    void podIsTheUserOnceItIsNoted() {
        assertThat(user(after(given("A")), "A")).isEqualTo("given");
        assertThat(user(after(given("A"), noted(START, noting("A", POD, "nic"))), "A"))
                .isEqualTo("pod");
    }

    @Test
    void notesFromBeforeAnAllocateNeitherEndItNorNameItsPod() {
        assertThat(user(after(given("A"), noted(START)), "A")).isEqualTo("given");
        assertThat(user(
                        after(noted(START, noting("A", POD, "nic")), given("A"), noted(START, noting("A", POD, "nic"))),
                        "A"))
                .isEqualTo("given");
        assertThat(user(after(given("A"), given("A"), noted(START.minusSeconds(1), noting("A", POD, "nic"))), "A"))
                .isEqualTo("given");
        assertThat(user(after(given("A"), noted(START, noting("A", POD, "face"))), "A"))
                .isEqualTo("given");
    }

    /** An earlier pod is in them, which may have ended. With its end, the device would be free. */
    @Test
    void notesFromBeforeAnAllocateNameNobodyThoughNobodyWasKnownToHaveTheDevice() {
        Event old = noted(START.minusSeconds(1), noting("A", POD, "nic"));

        assertThat(user(after(given("A"), old), "A")).isEqualTo("given");
        assertThat(user(after(given("A"), old, quiet(Set.of("pod"), noting("A", OTHER, "nic"))), "A"))
                .isEqualTo("other");
    }

    /** So the end of a hold is logged for the user who was logged, however often the device was given since. */
    @Test
    void nameThatWasLoggedGoesWithItsUser() {
        Event pod = noted(START, noting("A", POD, "nic"));
        Event told = new Event.Told(Map.of("A", new Event.Name(POD, "default/pod (main)")));

        assertThat(told(after(pod, told, given("A")))).contains("default/pod (main)");
        assertThat(told(after(pod, told, given("A"), starting("pod", 1)))).contains("default/pod (main)");
        assertThat(told(after(pod, told, given("A"), noted(LATER)))).contains("default/pod (main)");
        assertThat(told(after(pod, told, given("A"), noted(LATER, noting("A", POD, "nic")))))
                .contains("default/pod (main)");
        assertThat(told(after(pod, told, given("A"), noted(LATER, noting("A", OTHER, "nic")))))
                .isEmpty();
        assertThat(told(after(pod, told, noted(LATER, noting("A", OTHER, "nic")))))
                .isEmpty();
        assertThat(told(after(pod, noted(LATER, noting("A", OTHER, "nic")), told)))
                .as("the one that came before it was logged")
                .isEmpty();
    }

    /** All notes look older than the Allocate then. But those that take the place of others are newer than these. */
    private static Optional<String> told(Custody custody) {
        return custody.holder().flatMap(Hold::told);
    }

    @Test
    void allocateThatWasNeverNotedEndsWithLaterNotesOrAfterTenMinutes() {
        assertThat(after(given("A"), noted(LATER)).isFree()).isTrue();
        assertThat(after(given("A"), forgotten(START)).isFree()).isTrue();
    }

    @Test
    void listIsSentAgainForAnAllocateAtGrowingTimesButNotForEver() {
        User.Grant grant = User.Grant.of(1, 0, START);
        int sent = 0;
        for (long now = 0; now < DAY.toNanos(); now = grant.tellAt()) {
            grant = grant.toldAgain(grant.tellAt());
            sent++;
        }

        assertThat(grant.pause()).isEqualTo(Duration.ofMinutes(5));
        assertThat(sent).isBetween(280, 300);
        assertThat(after(given("A"), new Event.ToldAgain(0))).isEqualTo(after(given("A")));
        assertThat(after(given("A"), new Event.ToldAgain(User.Grant.NOTED.toNanos())))
                .isNotEqualTo(after(given("A")));
    }

    @Test
    void sharesHaveTheirUsersEach() {
        Custody both = after(noted(START, noting("A::0", POD, "nic")), given("A::1"));
        assertThat(user(both, "A::0")).isEqualTo("pod");
        assertThat(user(both, "A::1")).isEqualTo("given");

        Custody one = Rules.on(both, quiet(Set.of("pod"), noting("A::1", OTHER, "nic")));
        assertThat(user(one, "A::0")).isEqualTo("nobody");
        assertThat(user(one, "A::1")).isEqualTo("other");
    }

    @Test
    void userEndsWhenNobodyNotesItAndItIsQuiet() {
        Event pod = noted(START, noting("A", POD, "nic"));

        assertThat(user(after(pod, noted(LATER)), "A")).isEqualTo("pod");
        assertThat(user(after(pod, quiet(Set.of("pod"), noting("A", POD, "nic"))), "A"))
                .isEqualTo("pod");
        assertThat(after(pod, quiet(Set.of("pod"))).isFree()).isTrue();
    }

    @Test
    void lastProcessHasADeviceAgainIfTheNextUserGoesWithoutAStart() {
        Event pod = noted(START, noting("A", POD, "nic"));
        Event other = noted(LATER, noting("A", OTHER, "nic"));

        assertThat(user(after(pod, given("A"), noted(LATER)), "A")).isEqualTo("pod");
        assertThat(user(after(pod, given("A"), other), "A")).isEqualTo("other");
        assertThat(user(after(pod, given("A"), other, quiet(Set.of("other"))), "A"))
                .isEqualTo("pod");
        assertThat(after(pod, given("A"), other, quiet(Set.of("other", "pod"))).isFree())
                .isTrue();
        assertThat(after(pod, given("A"), other, quiet(Set.of("pod"), noting("A", OTHER, "nic")))
                        .holder()
                        .flatMap(Hold::before))
                .isEmpty();
    }

    @Test
    void claimDoesNotTakeADeviceFromALastProcess() {
        Event pod = noted(START, noting("A", POD, "nic"));

        assertThat(user(after(pod, noted(LATER, noting("A", CLAIM, "claimed"))), "A"))
                .isEqualTo("pod");
        assertThat(user(after(pod, given("A"), noted(LATER, noting("A", CLAIM, "claimed"))), "A"))
                .isEqualTo("pod");
        assertThat(user(after(pod, quiet(Set.of("pod"), noting("A", CLAIM, "claimed"))), "A"))
                .isEqualTo("claim");
    }

    @Test
    void newDaemonCountsLastUsersThatMayRun() {
        Event first = new Event.Noted(List.of(), LATER, Set.of(), true, 0);
        Event next = new Event.Noted(List.of(noting("A", OTHER, "nic")), LATER, Set.of("other"), true, 0);
        Event claim = new Event.Noted(List.of(noting("A", CLAIM, "claimed")), LATER, Set.of("claim"), true, 0);

        assertThat(user(after(traced("pod"), first), "A")).isEqualTo("pod");
        assertThat(after(traced("pod"), next).holder().flatMap(Hold::before).map(User::uid))
                .contains("pod");
        assertThat(user(after(traced("pod"), claim), "A")).isEqualTo("pod");
        assertThat(after(traced("pod"), quiet(Set.of("pod"))).holds()).isEmpty();
    }

    @Test
    void nobodyIsReleasedWhileNotesCannotBeRead() {
        assertThat(user(after(traced("pod"), new Event.Unread()), "A")).isEqualTo("pod");
        assertThat(user(after(given("A"), new Event.Unread()), "A")).isEqualTo("given");
    }

    @Test
    void startsAreCountedAndAskForTheNextTryOfAScrub() {
        Custody custody = after(
                traced("other"), failed(Work.Kind.SCRUB), noted(START, noting("A", POD, "nic")), starting("pod", 1));

        assertThat(custody.holder().map(Hold::starts)).contains(1);
        assertThat(custody.trouble().map(one -> one.left(0))).contains(Duration.ZERO);
        assertThat(Rules.on(custody, starting("pod", -1)).holder().map(Hold::starts))
                .contains(0);
    }

    /** The kubelet may give the device of a deleted pod away before the pod's start has given up. */
    @Test
    void startThatGivesUpTakesNothingFromTheNextUser() {
        Custody next =
                after(noted(START, noting("A", POD, "nic")), starting("pod", 1), given("A"), starting("pod", -1));

        assertThat(user(next, "A")).isEqualTo("given");
        assertThat(user(Rules.on(next, quiet(Set.of("pod"), noting("A", OTHER, "nic"))), "A"))
                .isEqualTo("other");
    }

    @Test
    void troubleOfAStartEndsWithItsUser() {
        Event claim = noted(START, noting("A", CLAIM, "nic"));
        Event chosen = begun(Work.Kind.PREPARE, "claim");

        assertThat(after(claim, chosen, failed(Work.Kind.PREPARE)).problem()).contains("cannot be reset");
        assertThat(after(claim, chosen, failed(Work.Kind.PREPARE), quiet(Set.of("claim")))
                        .isFree())
                .isTrue();
        assertThat(after(chosen, failed(Work.Kind.PREPARE)).isFree()).isTrue();
        assertThat(after(failed(Work.Kind.PREPARE)).problem()).contains("cannot be reset");
    }

    @Test
    void markOfAnUnpreparedStartEndsWithItsPod() {
        Event unprepared = new Event.Unprepared(Optional.of("was not prepared"), "pod", 0);
        Custody marked = after(noted(START, noting("A", POD, "nic")), unprepared);

        assertThat(marked.problem()).contains("was not prepared");
        assertThat(Rules.on(marked, quiet(Set.of("pod"))).isFree()).isTrue();
        assertThat(Rules.on(marked, new Event.Unprepared(Optional.empty(), "", 0))
                        .problem())
                .isEmpty();
    }

    /** Else each reading would remove the mark, and each look would set it again. */
    @Test
    void onlyAHolderIsMarked() {
        Event unprepared = new Event.Unprepared(Optional.of("was not prepared"), "pod", 0);
        Custody next = after(noted(START, noting("A", POD, "nic")), given("A"), unprepared);

        assertThat(next.problem()).isEmpty();
        assertThat(Rules.on(Rules.on(next, noted(START, noting("A", POD, "nic"))), unprepared))
                .isEqualTo(next);
    }

    @Test
    void workEndsHoweverItEnds() {
        for (Work.Kind kind : Work.Kind.values()) {
            assertThat(after(begun(kind), ended(kind)).work()).isEmpty();
            assertThat(after(begun(kind), failed(kind)).work()).isEmpty();
            assertThat(after(begun(kind), new Event.Left(kind)).work()).isEmpty();
        }
        assertThat(after(begun(Work.Kind.PREPARE), ended(Work.Kind.SCRUB)).work())
                .isPresent();
    }

    @Test
    void pausesOfAFailingScrubGrowToFiveMinutes() {
        Custody custody = after(traced("pod"), failed(Work.Kind.SCRUB));
        assertThat(custody.trouble().map(Trouble::pause)).contains(Duration.ofSeconds(5));

        for (int i = 0; i < 20; i++) {
            custody = Rules.on(custody, failed(Work.Kind.SCRUB));
        }
        assertThat(custody.trouble().map(Trouble::pause)).contains(Duration.ofMinutes(5));
        assertThat(Rules.on(custody, new Event.Traced(Optional.empty())).isFree())
                .isTrue();
    }

    @Test
    void heldDeviceStaysAsItWasLastSeen() {
        assertThat(after(given("A")).device()).contains(Events.DEVICE);
        assertThat(after(given("A"), noted(LATER)).device()).isEmpty();
        assertThat(after(traced("pod"), new Event.Unread(), new Event.Seen(Events.DEVICE))
                        .device())
                .contains(Events.DEVICE);
    }

    /** A checkpoint may list as many. The time grows with their number, and not with its square. */
    @Test
    void thousandsOfSharesOfADeviceAreNotedInOneGo() {
        CpuTime time = new CpuTime();
        Noting[] shares = IntStream.range(0, 16_384)
                .mapToObj(i -> noting("A::" + i, POD, "nic"))
                .toArray(Noting[]::new);

        Custody held = after(noted(START, shares), starting("pod", 1), traced("pod"));
        assertThat(held.holds()).hasSize(shares.length);
        assertThat(Rules.on(held, quiet(Set.of("pod"))).holds()).isEmpty();
        assertThat(time.used()).isLessThan(Duration.ofSeconds(2));
    }
}
