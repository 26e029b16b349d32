package io.edgeplug.model.custody;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rules as the model uses them. A test replaces one of them to see that the model finds the mistake. */
class Decisions {

    Custody on(Custody custody, Event event) {
        return Rules.on(custody, event);
    }

    Due due(Custody custody, boolean isKinHeld, boolean isHere, boolean isRead, @Nullable String obstacle, long now) {
        return Due.of(custody, isKinHeld, isHere, isRead, obstacle, now);
    }

    Optional<String> objectionToScrub(Custody custody, boolean isKinHeld) {
        return Due.objection(custody, isKinHeld);
    }

    Optional<Verdict> ofList(Face face, Custody custody, @Nullable Hold kin, Map<String, Hold> mates) {
        return Verdict.ofList(face, custody, kin, mates);
    }

    Optional<Verdict> ofCall(
            Face face,
            Custody custody,
            @Nullable Hold kin,
            Map<String, Hold> mates,
            Set<String> devices,
            Set<User> callers) {
        return Verdict.ofCall(face, custody, kin, mates, devices, callers);
    }

    Optional<Verdict> ofClaim(
            Face face,
            Custody custody,
            @Nullable Hold kin,
            Map<String, Hold> mates,
            Set<String> devices,
            Set<String> ids,
            User.Claim claim) {
        return Verdict.ofClaim(face, custody, kin, mates, devices, ids, claim);
    }

    /** Whether the start of a user must wait for the scrub of a device. */
    boolean waitsForScrub(Custody custody, User user, Face face) {
        return face.isScrubbed() && !custody.isClearFor(face.resource(), Set.of(user.uid()));
    }

    /** Whether a scrub of a device waits for the users of another one, which may be a VF of it. */
    boolean isKin(String device, String other) {
        return Scenario.isVf(device, other);
    }

    /** Whether a start that nobody saw is noted on a device with these traces. */
    boolean notesUnseen(Optional<Traces> before) {
        return true;
    }

    /** What a new daemon reads from a note on disk. */
    Optional<Traces> remembered(Traces traces) {
        return Optional.of(traces);
    }
}
