package io.edgeplug.model.custody;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.IdentifiedNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** What somebody tells of one device. {@link Rules} says what follows for its record. */
public sealed interface Event {

    /**
     * An Allocate has given it out, or a claim takes it.
     *
     * @param ids the kubelet's IDs: of the device, or of shares
     * @param device as it is then
     */
    record Given(Set<String> ids, Face face, Device device, User user) implements Event {}

    /**
     * The kubelet's notes and those of claims were read.
     *
     * @param notings all of this device
     * @param written when the kubelet wrote its notes, by the steady clock
     * @param quiet the UIDs of users that have no process left for sure; others may have some
     * @param isFirst whether nothing was read before, so that the last users count as users if they may run
     * @param now when they were read, by {@link System#nanoTime}
     */
    record Noted(List<Noting> notings, Instant written, Set<String> quiet, boolean isFirst, long now)
            implements Event {}

    /**
     * A user in those notes.
     *
     * @param id the kubelet's ID: of the device, or of a share
     * @param device as it is now; empty if it is gone
     * @param hasStarted whether a container of the user may have started with it; asked of shares only
     */
    record Noting(
            String id, User user, String resource, OptionalInt group, Optional<Device> device, boolean hasStarted) {}

    /** The kubelet's notes cannot be read, so the last users may have what they had. */
    record Unread() implements Event {}

    /** The disk has the device nodes that it was when its users got it. Told before the users are. */
    record Handed(List<IdentifiedNode> nodes) implements Event {}

    /** Starts of a user's containers begin to wait for it, or no longer do. */
    record Starting(String uid, int more, long now) implements Event {}

    /** Its traces as the disk has them; empty once it is scrubbed, or forgotten by a person. */
    record Traced(Optional<Traces> traces) implements Event {}

    /**
     * Work on it is ordered or begins.
     *
     * @param user the UID of the claim whose choice may be the reason if it is in vain; empty if it would fail for anybody
     */
    record Begun(Work.Kind kind, String user, Instant since) implements Event {}

    /** Work on it takes longer than its class allows. */
    record Late(Work.Kind kind, String progress) implements Event {}

    /**
     * Work on it has ended.
     *
     * @param problem why it was in vain; empty if it succeeded
     */
    record Ended(Work.Kind kind, Optional<String> problem, long now) implements Event {}

    /** Work on it was not done after all, or its end was told before. */
    record Left(Work.Kind kind) implements Event {}

    /** A container of that user has started with it, and it was not prepared; empty if that is no longer so. */
    record Unprepared(Optional<String> problem, String user, long now) implements Event {}

    /** It has changed, so what failed before may go well now. */
    record Retried(Duration atLeastAfter, long now) implements Event {}

    /** It cannot be scrubbed until a person decides something; empty if that is no longer so. */
    record Obstructed(Optional<String> text, long now) implements Event {}

    /** By ID, the name by which its user is to be logged. Nothing is done where somebody else has the ID by now. */
    record Told(Map<String, Name> names) implements Event {}

    /** The name of a user in the log. */
    record Name(User user, String text) {}

    /** The list was sent again for grants that are not noted. */
    record ToldAgain(long now) implements Event {}

    /** It is about to be listed as this face, with which its IOMMU group comes. */
    record Grouped(Face face) implements Event {}

    /** It is on the node, like this. */
    record Seen(Device device) implements Event {}
}
