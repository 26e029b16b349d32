package io.edgeplug.model.custody;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Why somebody cannot have a device that is fine in itself.
 *
 * @param text for a person, as the end of a sentence about the device
 * @param isWithheld whether it is kept because of its own users, and not because of a mate in its IOMMU group
 */
public record Verdict(String text, boolean isWithheld) {

    /**
     * Why nobody new gets a device, as the list says; empty if it is offered. The kubelet and the scheduler know by
     * themselves what they have given away as the same resource.
     *
     * @param custody of the device
     * @param kin who has another device that is part of it, or of which it is part; null if nobody has
     * @param mates the holds in its IOMMU group, by device
     */
    static Optional<Verdict> ofList(Face face, Custody custody, @Nullable Hold kin, Map<String, Hold> mates) {
        boolean isOwn = mates.containsKey(face.device());
        Optional<Verdict> group = mates.isEmpty() || isOwn
                ? Optional.empty()
                : Optional.of(inUse(face, mates.keySet().iterator().next()));
        return group.or(() -> other(face, custody, kin))
                .or(() -> custody.isUsedUp() ? Optional.of(new Verdict(custody.reason(), true)) : Optional.empty());
    }

    /**
     * Why a caller gets nothing; empty if it gets the devices.
     *
     * @param devices all devices of the call
     * @param callers who has these devices now: a container may get again what its pod had, and that may have been more
     */
    static Optional<Verdict> ofCall(
            Face face,
            Custody custody,
            @Nullable Hold kin,
            Map<String, Hold> mates,
            Set<String> devices,
            Set<User> callers) {
        Optional<Verdict> other = other(face, custody, kin);
        if (other.isPresent()) {
            return other;
        }
        // A claim is the user before this is asked, and one of a class with scrubs has waited for them.
        boolean isOther = face.isClaimed() && !face.isScrubbed() && custody.hasTracesOfOthers();
        boolean isUsedUp = custody.isUsedUp() || isOther;
        if (isUsedUp && !waitsForScrub(face, custody)) {
            return Optional.of(new Verdict(custody.reason(), true));
        }
        return mate(face, mates, devices, callers);
    }

    /**
     * Why a claim does not become the user; empty if it does. Traces are no reason, because its start waits until they
     * are gone.
     *
     * @param ids those that it wants of this device, by the kubelet's names
     */
    static Optional<Verdict> ofClaim(
            Face face,
            Custody custody,
            @Nullable Hold kin,
            Map<String, Hold> mates,
            Set<String> devices,
            Set<String> ids,
            User.Claim claim) {
        return other(face, custody, kin)
                .or(() -> custody.holds().entrySet().stream()
                        .filter(held -> ids.contains(held.getKey())
                                && !held.getValue().user().is(claim))
                        .findFirst()
                        .map(held -> heldAs(held.getValue().resource(), held.getValue())))
                .or(() -> mate(face, mates, devices, Set.of(claim)));
    }

    private static Optional<Verdict> mate(
            Face face, Map<String, Hold> mates, Set<String> devices, Set<? extends User> callers) {
        for (Map.Entry<String, Hold> mate : mates.entrySet()) {
            if (!devices.contains(mate.getKey())
                    && callers.stream()
                            .noneMatch(user -> user.is(mate.getValue().user()))) {
                return Optional.of(inUse(face, mate.getKey()));
            }
        }
        return Optional.empty();
    }

    /** The start of a container of the same resource waits until the device is scrubbed. */
    private static boolean waitsForScrub(Face face, Custody custody) {
        return face.isScrubbed()
                && custody.isSoonScrubbed()
                && custody.traces().flatMap(Traces::resource).equals(Optional.of(face.resource()));
    }

    private static Optional<Verdict> other(Face face, Custody custody, @Nullable Hold kin) {
        return custody.otherThan(face)
                .map(held -> heldAs(
                        held.getValue().isOther(face) ? held.getValue().resource() : held.getKey(), held.getValue()))
                .or(() -> kin != null && custody.holds().isEmpty()
                        ? Optional.of(heldAs(kin.resource(), kin))
                        : Optional.empty());
    }

    private static Verdict heldAs(String what, Hold hold) {
        return new Verdict("is held as " + what + " by " + hold.user().name(), true);
    }

    private static Verdict inUse(Face face, String mate) {
        return new Verdict(
                "its IOMMU group " + face.group().orElseThrow() + " is in use: a container holds " + mate, false);
    }
}
