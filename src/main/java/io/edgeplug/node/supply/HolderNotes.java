package io.edgeplug.node.supply;

import io.edgeplug.system.flow.Follower;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.flow.Latest;
import io.edgeplug.system.systemd.LogLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whether the notes of who has which device can be read. While they cannot, a device without a known holder may have
 * one, so it is not free. One thread at a time reports, and any thread asks.
 */
public final class HolderNotes {

    private static final Logger LOG = Logger.getLogger(HolderNotes.class.getName());

    private final LogLimit limit = new LogLimit(3, Duration.ofMinutes(10));
    private final Latest<State> newest = new Latest<>(new State(0, Instant.EPOCH, List.of()), State::number);

    /** Guarded by the reading thread. */
    private @Nullable String checkpoint;

    HolderNotes() {}

    /**
     * The outcome of the last reading.
     *
     * @param since when it first had this outcome
     * @param problems which files cannot be read, why, and what to do; for a person
     */
    public record State(long number, Instant since, List<String> problems) {
        public State {
            problems = List.copyOf(problems);
        }

        public boolean areRead() {
            return problems.isEmpty();
        }
    }

    /** The outcome of the last reading. */
    public State state() {
        return newest.get();
    }

    /** Runs an action for the outcome of now and for each newer one, until the result is closed. */
    public Follower follow(String name, Runnable action) {
        return newest.follow(Front.STATUS, name, Duration.ZERO, state -> action.run());
    }

    /**
     * Reports the outcome of a reading.
     *
     * @param reason why the kubelet's notes cannot be read; null if they can
     * @param claims why it is not known which devices claims have, which is logged already
     */
    void report(@Nullable String reason, List<String> claims) {
        String problem = reason == null ? null : advice(reason);
        List<String> problems = Stream.concat(
                        Stream.ofNullable(problem), claims.stream().sorted())
                .toList();
        State before = newest.get();
        if (problems.equals(before.problems())) {
            return;
        }
        if (!Objects.equals(problem, checkpoint)) {
            checkpoint = problem;
            limit.line(problem == null ? "it is known again which devices pods have" : problem)
                    .ifPresent(problem == null ? LOG::info : LOG::warning);
        }
        // Whoever sees it finds the line in the log.
        State ignored = newest.change(old -> new State(old.number() + 1, Instant.now(), problems));
    }

    /** The kubelet still knows. It writes its notes anew after each list that it is sent. */
    private static String advice(String reason) {
        return reason
                + ", so it is not known which devices pods have; run systemctl restart edgeplug to have the running"
                + " kubelet write its notes again";
    }
}
