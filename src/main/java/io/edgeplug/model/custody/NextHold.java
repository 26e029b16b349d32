package io.edgeplug.model.custody;

import io.edgeplug.model.custody.Event.Noted;
import io.edgeplug.model.custody.Event.Noting;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Who has an ID once the notes of the kubelet and of claims were read. */
final class NextHold {

    private NextHold() {}

    /** The hold after that; empty if nobody has the ID. */
    static Optional<Hold> of(Custody custody, String id, List<Noting> all, Noted noted) {
        Optional<Hold> before = custody.hold(id);
        Optional<Noting> noting = before.flatMap(hold -> sameUser(hold, all))
                .or(() -> before.flatMap(hold -> sameResource(hold, all)))
                .or(() -> ofClaim(all, noted))
                .or(() -> ofTraces(custody, all))
                .or(() -> all.stream().findFirst());
        if (before.isEmpty()) {
            // This counts for a pulled device too, because it may come back before the next reading.
            return noting.filter(one -> !isKeptFrom(one, custody, noted)).map(NextHold::held);
        }
        Hold hold = before.orElseThrow();
        Noting now = noting.orElse(null);
        if (hold.user() instanceof User.Grant grant) {
            return granted(hold, grant, now, noted);
        }
        boolean mayRun = mayRun(hold.user(), noted);
        if (now == null) {
            // The kubelet forgets a pod before its last process has ended.
            return mayRun ? before : earlier(hold, noted);
        }
        boolean isSameResource = now.resource().equals(hold.resource());
        if (isSameResource && now.user().is(hold.user())) {
            Hold same = isNamed(hold.user()) ? hold : hold.by(now.user());
            return Optional.of(same.in(now.group())
                    .started(hasStarted(now, all))
                    .after(hold.before().filter(user -> mayRun(user, noted))));
        }
        if (isSameResource) {
            return Optional.of(held(now, hold, noted));
        }
        // Only the same resource may give a device away whose last process has not ended.
        return (mayRun ? before : earlier(hold, noted)).or(() -> Optional.of(held(now, hold, noted)));
    }

    /** Whether a new daemon finds that the last users may have a device as another resource. */
    private static boolean isKeptFrom(Noting noting, Custody custody, Noted noted) {
        return noted.isFirst()
                && custody.traces()
                        .filter(left -> !left.isReleased()
                                && !left.resource().equals(Optional.of(noting.resource()))
                                && !noted.quiet().containsAll(left.users()))
                        .isPresent();
    }

    private static boolean mayRun(User user, Noted noted) {
        return !(user instanceof User.Grant) && !noted.quiet().contains(user.uid());
    }

    /** If the next user goes without a start, the one before may still have the device. */
    private static Optional<Hold> earlier(Hold hold, Noted noted) {
        return hold.before()
                .filter(user -> mayRun(user, noted))
                .map(user -> Hold.of(user, hold.resource(), hold.group())
                        .started(true)
                        .told(hold.isGrant() ? hold.told() : Optional.empty()));
    }

    private static Hold held(Noting noting, Hold before, Noted noted) {
        Optional<User> earlier = mayRun(before.user(), noted) ? Optional.of(before.user()) : before.before();
        boolean isAgain = before.isGrant()
                && before.before().filter(user -> user.is(noting.user())).isPresent();
        // What was seen of the device since the notes were read is newer than they are.
        OptionalInt group = noting.group().isEmpty() && noting.resource().equals(before.resource())
                ? before.group()
                : noting.group();
        return held(noting)
                .in(group)
                .after(earlier.filter(user -> mayRun(user, noted) && !user.is(noting.user())))
                .told(isAgain ? before.told() : Optional.empty());
    }

    /** Notes that were written before the Allocate may still name the pod before. */
    private static Optional<Hold> granted(Hold hold, User.Grant grant, @Nullable Noting now, Noted noted) {
        boolean isLater = noted.written().isAfter(grant.until()) || grant.isForgotten(noted.now());
        if (now == null) {
            return isLater ? earlier(hold, noted) : Optional.of(hold);
        }
        boolean isOfBefore = !now.resource().equals(hold.resource())
                || grant.isLaterThan(noted.written())
                || hold.before().filter(one -> one.is(now.user())).isPresent();
        if (isOfBefore && !isLater) {
            return Optional.of(hold);
        }
        return (now.resource().equals(hold.resource()) ? Optional.<Hold>empty() : earlier(hold, noted))
                .or(() -> Optional.of(held(now, hold, noted)));
    }

    /** A pod may have a device in several containers, and keeps the name by which it was told. */
    private static boolean isNamed(User user) {
        return switch (user) {
            case User.Pod pod -> pod.isNamed();
            case User.Claim claim -> claim.by().isNamed();
            case User.Grant grant -> true;
        };
    }

    /** One of several containers of a pod may have started. */
    private static boolean hasStarted(Noting now, List<Noting> all) {
        return all.stream().anyMatch(one -> one.hasStarted() && one.user().is(now.user()));
    }

    private static Hold held(Noting noting) {
        return Hold.of(noting.user(), noting.resource(), noting.group()).started(noting.hasStarted());
    }

    private static Optional<Noting> sameUser(Hold hold, List<Noting> all) {
        return all.stream()
                .filter(one -> one.user().is(hold.user()) && one.resource().equals(hold.resource()))
                .findFirst();
    }

    private static Optional<Noting> sameResource(Hold hold, List<Noting> all) {
        List<Noting> same = all.stream()
                .filter(one -> one.resource().equals(hold.resource()))
                .toList();
        return same.stream()
                .filter(one ->
                        hold.before().filter(before -> before.is(one.user())).isEmpty())
                .findFirst()
                .or(() -> same.stream().findFirst());
    }

    /** A claim is noted only for a device that nobody else has. But the kubelet may still note a pod that has ended. */
    private static Optional<Noting> ofClaim(List<Noting> all, Noted noted) {
        return all.stream()
                .filter(one -> one.user() instanceof User.Claim)
                .filter(one -> all.stream().allMatch(other -> other.equals(one) || !mayRun(other.user(), noted)))
                .findFirst();
    }

    private static Optional<Noting> ofTraces(Custody custody, List<Noting> all) {
        Optional<String> resource = custody.traces().flatMap(Traces::resource);
        return all.stream()
                .filter(one -> resource.equals(Optional.of(one.resource())))
                .findFirst();
    }
}
