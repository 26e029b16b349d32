package io.edgeplug.model.custody;

import io.edgeplug.model.custody.Event.Noted;
import io.edgeplug.model.custody.Event.Noting;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PathDevice;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** Events of one device, and users of it, for tests of the rules. */
final class Events {

    static final Instant START = Instant.EPOCH;
    static final User.Pod POD = User.Pod.unnamed("pod", "main");
    static final User.Pod OTHER = User.Pod.unnamed("other", "main");
    static final User.Claim CLAIM = new User.Claim("claim", POD);
    static final Device DEVICE = new PathDevice(
            "A", List.of(new PathDevice.File("/dev/A", Optional.empty())), Optional.empty(), Health.HEALTHY);

    /** Notes of the kubelet that certainly have all Allocates of {@link #START}. */
    static final Instant LATER = START.plus(User.Grant.NOTED).plusSeconds(1);

    private Events() {}

    static Face face(String resource) {
        return new Face("A", resource, true, false, false, OptionalInt.of(7));
    }

    static Face claimed(String resource) {
        return new Face("A", resource, true, true, false, OptionalInt.of(7));
    }

    /** The same device, of which pods get shares. */
    static Face shared(String resource) {
        return new Face("A", resource, true, false, true, OptionalInt.of(7));
    }

    static Event given(String... ids) {
        return new Event.Given(Set.of(ids), face("nic"), DEVICE, User.Grant.of(1, 0, START));
    }

    static Noting noting(String id, User user, String resource) {
        return new Noting(id, user, resource, OptionalInt.of(7), Optional.of(DEVICE), false);
    }

    /** Everybody has processes. */
    static Noted noted(Instant written, Noting... notings) {
        return new Noted(List.of(notings), written, Set.of(), false, 0);
    }

    /** Only those users have no process. */
    static Noted quiet(Set<String> quiet, Noting... notings) {
        return new Noted(List.of(notings), LATER, quiet, false, 0);
    }

    static Noted forgotten(Instant written) {
        long now = User.Grant.FORGOTTEN.plus(Duration.ofSeconds(1)).toNanos();
        return new Noted(List.of(), written, Set.of(), false, now);
    }

    static Event traced(String... users) {
        return new Event.Traced(Optional.of(new Traces(Set.of(users), Optional.of("nic"), false)));
    }

    static Event begun(Work.Kind kind) {
        return begun(kind, "");
    }

    static Event begun(Work.Kind kind, String user) {
        return new Event.Begun(kind, user, START);
    }

    static Event ended(Work.Kind kind) {
        return new Event.Ended(kind, Optional.empty(), 0);
    }

    static Event failed(Work.Kind kind) {
        return new Event.Ended(kind, Optional.of("cannot be reset"), 0);
    }

    static Event starting(String uid, int more) {
        return new Event.Starting(uid, more, 0);
    }

    /** The record of device A after all of these. */
    static Custody after(Event... events) {
        Custody custody = Custody.free("A");
        for (Event event : events) {
            custody = Rules.on(custody, event);
        }
        return custody;
    }
}
