package io.edgeplug.model.custody;

import io.edgeplug.model.custody.Event.Noted;
import io.edgeplug.model.custody.Event.Noting;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** How the record of a device changes with what somebody tells. Without effects, and without a look at the node. */
final class Rules {

    private Rules() {}

    /** The record after that event. */
    static Custody on(Custody custody, Event event) {
        return switch (event) {
            case Event.Given given -> given(custody, given);
            case Noted noted -> noted(custody, noted);
            case Event.Unread unread -> unread(custody);
            case Event.Handed handed -> custody.nodes().isEmpty() ? custody.known(handed.nodes()) : custody;
            case Event.Starting starting -> starting(custody, starting);
            case Event.Traced traced -> traced(custody, traced);
            case Event.Begun begun ->
                custody.in(Optional.of(new Work(begun.kind(), begun.user(), begun.since(), Optional.empty())));
            case Event.Late late ->
                custody.in(custody.work().map(now -> now.kind() == late.kind() ? now.late(late.progress()) : now));
            case Event.Left left -> custody.in(custody.work().filter(now -> now.kind() != left.kind()));
            case Event.Ended ended -> ended(custody, ended);
            case Event.Unprepared unprepared -> unprepared(custody, unprepared);
            case Event.Retried retried ->
                custody.troubled(custody.trouble()
                        .filter(one -> one.kind() != Trouble.Kind.PREPARATION
                                || custody.work().isPresent()
                                || retried.now() - one.since()
                                        <= retried.atLeastAfter().toNanos()));
            case Event.Obstructed obstructed -> obstructed(custody, obstructed);
            case Event.Told told -> told(custody, told);
            case Event.ToldAgain told -> toldAgain(custody, told.now());
            case Event.Grouped grouped -> grouped(custody, grouped.face());
            case Event.Seen seen -> custody.holds().isEmpty() ? custody : custody.as(seen.device());
        };
    }

    /** Whoever had an ID before is excused only for that ID. The kubelet gives away only what it believes to be free. */
    private static Custody given(Custody custody, Event.Given given) {
        SortedMap<String, Hold> holds = new TreeMap<>(custody.holds());
        for (String id : given.ids()) {
            Optional<Hold> last = custody.hold(id);
            if (last.filter(hold -> hold.user().is(given.user())).isPresent()) {
                // A claim that is prepared again.
                holds.put(id, last.orElseThrow().in(given.face().group()));
                continue;
            }
            Optional<User> before =
                    last.map(hold -> hold.isGrant() ? hold.before().orElse(hold.user()) : hold.user());
            Hold hold =
                    Hold.of(given.user(), given.face().resource(), given.face().group());
            holds.put(id, hold.after(before).told(last.flatMap(Hold::told)));
        }
        Custody next = custody.with(holds);
        // A claim is given a device again only if no container of it has started in this boot, so none has the old
        // nodes.
        boolean isFirst = custody.nodes().isEmpty()
                || (given.user() instanceof User.Claim claim
                        && next.holds().values().stream()
                                .allMatch(hold -> hold.user().is(claim)));
        return next.as(given.device()).known(isFirst ? given.device().identities() : custody.nodes());
    }

    private static Custody noted(Custody custody, Noted noted) {
        // A device may have thousands of shares.
        Map<String, List<Noting>> byId = noted.notings().stream().collect(Collectors.groupingBy(Noting::id));
        Set<String> ids = new TreeSet<>(custody.holds().keySet());
        ids.addAll(byId.keySet());
        SortedMap<String, Hold> holds = new TreeMap<>();
        for (String id : ids) {
            NextHold.of(custody, id, byId.getOrDefault(id, List.of()), noted).ifPresent(hold -> holds.put(id, hold));
        }
        Custody next = custody.with(holds);
        Optional<Traces> traces = next.traces();
        if (traces.isPresent()) {
            boolean mayRun = !noted.quiet().containsAll(traces.orElseThrow().users());
            next = next.with(traces.map(left -> left.running(mayRun)));
            if (noted.isFirst() && mayRun) {
                next = afterLast(unread(next), noted);
            }
        }
        return withoutTroubleOfOthers(next.holds().isEmpty() ? next.known(List.of()) : seen(next, noted));
    }

    /** Of a device that was handed over before anybody noted its nodes, those that it has now are all that is known. */
    private static Custody seen(Custody custody, Noted noted) {
        return noted.notings().stream()
                .flatMap(one -> one.device().stream())
                .findFirst()
                .map(device ->
                        custody.as(device).known(custody.nodes().isEmpty() ? device.identities() : custody.nodes()))
                .orElse(custody);
    }

    /** The kubelet may have given a device away whose last users have not ended. */
    private static Custody afterLast(Custody custody, Noted noted) {
        Optional<User> last = custody.traces().filter(left -> !left.isReleased()).stream()
                .flatMap(left -> left.users().stream())
                .filter(uid -> !noted.quiet().contains(uid) && !custody.isHeldByOneOf(Set.of(uid)))
                .sorted()
                .findFirst()
                .map(Rules::last);
        return last.isPresent() ? custody.each(hold -> hold.after(last)) : custody;
    }

    private static User last(String uid) {
        return User.Pod.unnamed(uid, "unless that has ended meanwhile");
    }

    /** The last users count as users again, because nothing says that they have ended. */
    private static Custody unread(Custody custody) {
        Optional<Traces> left = custody.traces()
                .filter(traces -> !traces.isReleased()
                        && traces.resource().isPresent()
                        && !traces.users().isEmpty());
        if (left.isEmpty() || !custody.holds().isEmpty()) {
            return custody;
        }
        Traces traces = left.orElseThrow();
        User last = last(new TreeSet<>(traces.users()).getFirst());
        Hold hold =
                Hold.of(last, traces.resource().orElseThrow(), traces.group()).started(true);
        return custody.with(new TreeMap<>(Map.of(custody.id(), hold)));
    }

    private static Custody starting(Custody custody, Event.Starting starting) {
        Custody next = custody.each(hold -> {
            // The pod gets again what it had, so these notes of the kubelet are no older than the Allocate. The end of
            // an earlier start says nothing about it.
            Optional<User> again = hold.before()
                    .filter(one -> one.uid().equals(starting.uid()) && hold.isGrant() && starting.more() > 0);
            boolean isStarter = again.isPresent() || hold.user().uid().equals(starting.uid());
            return isStarter ? again.map(hold::by).orElse(hold).starting(starting.more()) : hold;
        });
        // A start does not wait for the next try of a scrub that has failed.
        return starting.more() < 0
                ? next
                : next.troubled(
                        next.trouble().map(one -> one.kind() == Trouble.Kind.SCRUB ? one.dueNow(starting.now()) : one));
    }

    private static Custody traced(Custody custody, Event.Traced traced) {
        Optional<Traces> traces = traced.traces();
        Custody newer = custody.with(traces.map(
                newest -> newest.running(custody.traces().filter(Traces::mayRun).isPresent())));
        // Users who are known by these traces alone have no notes that tell their group.
        OptionalInt group = traces.map(Traces::group).orElse(OptionalInt.empty());
        Custody next = newer.each(
                hold -> !hold.isGrant() && traces.flatMap(Traces::resource).equals(Optional.of(hold.resource()))
                        ? hold.in(group)
                        : hold);
        return traces.isPresent() ? next : next.troubled(next.trouble().filter(Trouble::isOfStart));
    }

    private static Custody grouped(Custody custody, Face face) {
        return custody.each(hold -> hold.resource().equals(face.resource()) ? hold.in(face.group()) : hold);
    }

    private static Custody ended(Custody custody, Event.Ended ended) {
        Custody next = custody.in(custody.work().filter(now -> now.kind() != ended.kind()));
        String user = custody.work()
                .filter(now -> now.kind() == ended.kind())
                .map(Work::user)
                .orElse("");
        return switch (ended.kind()) {
            case PREPARE ->
                withoutTroubleOfOthers(next.troubled(ended.problem()
                        .map(text -> Trouble.ofStart(Trouble.Kind.PREPARATION, text, user, ended.now()))));
            case SCRUB ->
                next.troubled(ended.problem()
                        .map(text -> Trouble.scrub(text, custody.trouble().orElse(null), ended.now()))
                        .or(() -> next.trouble().filter(Trouble::isOfStart)));
            case RETURN -> next;
        };
    }

    private static Custody unprepared(Custody custody, Event.Unprepared unprepared) {
        Optional<Trouble> mark = unprepared
                .problem()
                .map(text -> Trouble.ofStart(Trouble.Kind.UNPREPARED, text, unprepared.user(), unprepared.now()));
        Optional<Trouble> other = custody.trouble().filter(one -> one.kind() != Trouble.Kind.UNPREPARED);
        return other.isPresent() || (mark.isPresent() && isMarked(custody, mark.orElseThrow()))
                ? custody
                : withoutTroubleOfOthers(custody.troubled(mark));
    }

    private static Custody obstructed(Custody custody, Event.Obstructed obstructed) {
        Optional<Trouble> before = custody.trouble().filter(one -> one.kind() == Trouble.Kind.OBSTACLE);
        if (before.map(Trouble::text).equals(obstructed.text())) {
            return custody;
        }
        return custody.troubled(obstructed.text().map(text -> Trouble.obstacle(text, obstructed.now())));
    }

    private static boolean isMarked(Custody custody, Trouble mark) {
        return custody.trouble()
                .filter(one -> one.text().equals(mark.text()) && one.user().equals(mark.user()))
                .isPresent();
    }

    /** A trouble ends with the user whom it concerned. */
    private static Custody withoutTroubleOfOthers(Custody custody) {
        return custody.troubled(
                custody.trouble().filter(one -> one.user().isEmpty() || custody.isHeldByOneOf(Set.of(one.user()))));
    }

    private static Custody toldAgain(Custody custody, long now) {
        return custody.each(hold ->
                hold.user() instanceof User.Grant grant && grant.isDue(now) ? hold.by(grant.toldAgain(now)) : hold);
    }

    private static Custody told(Custody custody, Event.Told told) {
        SortedMap<String, Hold> holds = new TreeMap<>(custody.holds());
        told.names()
                .forEach((id, name) -> holds.computeIfPresent(
                        id, (same, hold) -> hold.user().is(name.user()) ? hold.told(Optional.of(name.text())) : hold));
        return custody.with(holds);
    }
}
