package io.edgeplug.model.custody;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.IdentifiedNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * What happens to one device between its users. {@link Rules} makes the next one; a device that has none of this is
 * free and clean.
 *
 * @param id of the whole device
 * @param holds who has it, by the kubelet's ID: that of the device, or of a share of it; nobody changes the map any more
 * @param device as it was when it was last handed over or seen, for the list once it is gone; empty if nobody has it
 * @param nodes the device nodes that it was when its users got it; none if nobody has it, or if it has none
 * @param traces what the last users may have left in it
 */
public record Custody(
        String id,
        SortedMap<String, Hold> holds,
        Optional<Device> device,
        List<IdentifiedNode> nodes,
        Optional<Traces> traces,
        Optional<Work> work,
        Optional<Trouble> trouble) {

    public Custody {
        holds = Collections.unmodifiableSortedMap(holds);
        nodes = List.copyOf(nodes);
    }

    /** A free and clean device. */
    public static Custody free(String id) {
        return new Custody(
                id,
                Collections.emptySortedMap(),
                Optional.empty(),
                List.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** Whether there is nothing to know of the device. */
    public boolean isFree() {
        return holds.isEmpty() && traces.isEmpty() && work.isEmpty() && trouble.isEmpty();
    }

    /** Whether nobody has it, although somebody's traces are on it. */
    public boolean isUsedUp() {
        return holds.isEmpty() && traces.isPresent();
    }

    /** The resources of Allocates that are old enough to be noted by the kubelet, and are not. */
    public Set<String> unnoted(long now) {
        Set<String> unnoted = new TreeSet<>();
        for (Hold hold : holds.values()) {
            if (hold.user() instanceof User.Grant grant && grant.isDue(now)) {
                boolean ignored = unnoted.add(hold.resource());
            }
        }
        return unnoted;
    }

    /** Whether the traces are of users of whom none has it. */
    boolean hasTracesOfOthers() {
        return traces.filter(left -> !isHeldByOneOf(left.users())).isPresent();
    }

    /** Who has that ID of the kubelet; empty if nobody has. */
    public Optional<Hold> hold(String held) {
        return Optional.ofNullable(holds.get(held));
    }

    /** Who has it, or a share of it; one of them if they are several. */
    public Optional<Hold> holder() {
        return holds.values().stream().findFirst();
    }

    /** The holds of those who have it, or a share of it, as that resource. */
    public List<Hold> heldAs(String resource) {
        return holds.values().stream()
                .filter(hold -> hold.resource().equals(resource))
                .toList();
    }

    /** Whether an Allocate has it that the kubelet has not noted yet. */
    public boolean isGiven() {
        return holds.values().stream().anyMatch(Hold::isGrant);
    }

    /** The IOMMU groups that its users have with it: one at the most. */
    public OptionalInt group() {
        for (Hold hold : holds.values()) {
            if (hold.group().isPresent()) {
                return hold.group();
            }
        }
        return OptionalInt.empty();
    }

    /**
     * A hold that is in the way of a face, by the kubelet's ID. The kubelet believes that a device and its shares are
     * different things, and a reload may have changed the number of shares.
     */
    public Optional<Map.Entry<String, Hold>> otherThan(Face face) {
        for (Map.Entry<String, Hold> held : holds.entrySet()) {
            if (held.getValue().isOther(face) || held.getKey().equals(id) == face.isShared()) {
                return Optional.of(held);
            }
        }
        return Optional.empty();
    }

    /** The UIDs of all users that have, had or may still have it. */
    public Set<String> uids() {
        Set<String> uids = new TreeSet<>();
        traces.ifPresent(left -> uids.addAll(left.users()));
        for (Hold hold : holds.values()) {
            uids.add(hold.user().uid());
            hold.before().ifPresent(before -> uids.add(before.uid()));
        }
        uids.remove("");
        return uids;
    }

    boolean isHeldByOneOf(Collection<String> uids) {
        return holds.values().stream()
                .anyMatch(hold -> uids.contains(hold.user().uid()));
    }

    /** Why the device counts as broken: a start with it went wrong, or its preparation hangs. Else empty. */
    public Optional<String> problem() {
        return trouble.filter(Trouble::isOfStart)
                .map(Trouble::text)
                .or(() -> work.filter(now -> now.kind() != Work.Kind.SCRUB).flatMap(Work::late));
    }

    /** Why nobody new gets a device with traces, for a person. */
    public String reason() {
        if (trouble.filter(one -> one.kind() == Trouble.Kind.OBSTACLE).isPresent()) {
            return trouble.orElseThrow().text();
        }
        if (isUnder(Work.Kind.SCRUB)) {
            Work now = work.orElseThrow();
            return "is being scrubbed since " + now.since()
                    + now.late().map(text -> ": " + text).orElse("");
        }
        if (trouble.filter(one -> one.kind() == Trouble.Kind.SCRUB).isPresent()) {
            return trouble.orElseThrow().text();
        }
        return traces.filter(Traces::mayRun).isPresent()
                ? "is used by processes of a pod that have not ended yet"
                : "was used by a pod, and is not scrubbed yet";
    }

    /** Whether the traces go soon and by themselves, so that a start can wait for that. */
    public boolean isSoonScrubbed() {
        return trouble.filter(one -> one.kind() == Trouble.Kind.OBSTACLE).isEmpty()
                && (isUnder(Work.Kind.SCRUB)
                        ? work.flatMap(Work::late).isEmpty()
                        : trouble.filter(one -> one.kind() == Trouble.Kind.SCRUB)
                                .isEmpty());
    }

    /** Whether this is being done to it, or waits for its turn. */
    public boolean isUnder(Work.Kind kind) {
        return work.filter(now -> now.kind() == kind).isPresent();
    }

    /** Whether one of these users can start with it as that resource: it has no traces, or only their own. */
    public boolean isClearFor(String resource, Set<String> uids) {
        return traces.filter(left -> left.isReleased()
                        || !left.resource().equals(Optional.of(resource))
                        || left.users().stream().noneMatch(uids::contains))
                .isEmpty();
    }

    /** Whether the traces are of claims alone, and each of these has it. */
    public boolean areTracesOfClaims() {
        Set<String> claims = holds.values().stream()
                .map(Hold::user)
                .filter(User.Claim.class::isInstance)
                .map(User::uid)
                .collect(Collectors.toSet());
        return traces.filter(left -> !left.users().isEmpty() && claims.containsAll(left.users()))
                .isPresent();
    }

    /**
     * Whether a claim that has the device may have it prepared again, although that has failed, or although it must wait for
     * what is still being done.
     */
    public boolean isRetriedByClaim() {
        return (work.isPresent()
                        || trouble.filter(one -> one.kind() == Trouble.Kind.PREPARATION)
                                .isPresent())
                && holds.values().stream().anyMatch(hold -> hold.user() instanceof User.Claim);
    }

    /** Its states, for a log: {@code held by default/pod (main), traces, scrub}. */
    String text() {
        List<String> words = new ArrayList<>();
        holds.forEach((held, hold) -> words.add((held.equals(id) ? "" : held + " ")
                + (hold.isGrant() ? "given" : "held by " + hold.user().name())
                + (hold.starts() > 0 ? ", starting" : "")));
        traces.ifPresent(left -> words.add(left.isReleased() ? "traces, released" : "traces"));
        work.ifPresent(now -> words.add(now.kind().toString().toLowerCase(Locale.ROOT)));
        trouble.ifPresent(one -> words.add("trouble: " + one.text()));
        return words.isEmpty() ? "free" : String.join(", ", words);
    }

    /** The same with a change to each hold. */
    Custody each(UnaryOperator<Hold> change) {
        SortedMap<String, Hold> next = new TreeMap<>(holds);
        next.replaceAll((held, hold) -> change.apply(hold));
        return with(next);
    }

    /** The same with these holds and no others. The caller does not change them any more. */
    Custody with(SortedMap<String, Hold> next) {
        return new Custody(id, next, next.isEmpty() ? Optional.empty() : device, nodes, traces, work, trouble);
    }

    Custody as(Device seen) {
        return new Custody(id, holds, Optional.of(seen), nodes, traces, work, trouble);
    }

    Custody known(List<IdentifiedNode> handedOver) {
        return new Custody(id, holds, device, handedOver, traces, work, trouble);
    }

    Custody with(Optional<Traces> newest) {
        return new Custody(id, holds, device, nodes, newest, work, trouble);
    }

    Custody in(Optional<Work> now) {
        return new Custody(id, holds, device, nodes, traces, now, trouble);
    }

    Custody troubled(Optional<Trouble> now) {
        return new Custody(id, holds, device, nodes, traces, work, now);
    }
}
