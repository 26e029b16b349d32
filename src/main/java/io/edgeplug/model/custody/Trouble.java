package io.edgeplug.model.custody;

import io.edgeplug.system.flow.Backoff;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Why a device is not offered until something changes.
 *
 * @param text for a person, as the end of a sentence about the device
 * @param user the UID of the user whose start it concerns, and with whom it ends; empty for the other kinds
 * @param since by {@link System#nanoTime}
 * @param pause until a scrub is tried again; zero for the other kinds
 */
public record Trouble(Kind kind, String text, String user, long since, Duration pause) {

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

    public enum Kind {
        /** It could not be prepared for a user, or that takes too long. */
        PREPARATION,
        /** A container started with it, and it was not prepared for that. */
        UNPREPARED,
        /** The last scrub failed, and is tried again. */
        SCRUB,
        /** It cannot be scrubbed until a person decides something. */
        OBSTACLE
    }

    static Trouble ofStart(Kind kind, String text, String user, long now) {
        return new Trouble(kind, text, user, now, Duration.ZERO);
    }

    static Trouble obstacle(String text, long now) {
        return new Trouble(Kind.OBSTACLE, text, "", now, Duration.ZERO);
    }

    /** A scrub has failed; the pause doubles with each failure. */
    static Trouble scrub(String text, @Nullable Trouble before, long now) {
        Duration next = before != null && before.kind() == Kind.SCRUB
                ? Backoff.doubled(before.pause(), LONGEST_PAUSE)
                : FIRST_PAUSE;
        return new Trouble(Kind.SCRUB, text, "", now, next);
    }

    /** The same, to be tried again at once. */
    Trouble dueNow(long now) {
        return new Trouble(kind, text, user, now - pause.toNanos(), pause);
    }

    /** Whether a container's start was concerned, so that the device itself counts as unhealthy. */
    public boolean isOfStart() {
        return kind == Kind.PREPARATION || kind == Kind.UNPREPARED;
    }

    /** How long to wait until a scrub is tried again. */
    public Duration left(long now) {
        return pause.minusNanos(now - since);
    }
}
