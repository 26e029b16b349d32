package io.edgeplug.status;

import io.edgeplug.linux.RpcCaller;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Those who have asked and have not read the answer yet, which stays in memory until then. Where there is no room for
 * another one, the daemon hangs up on the oldest of the user who has most of them, so that nobody can keep others from
 * asking.
 */
final class Askers {

    /** Each answer may be of 2 MB. */
    static final int MAX = 16;

    /** The oldest first. */
    private final List<Asker> unread = new ArrayList<>();

    /** One call, until its answer is read or its caller has gone. */
    static final class Asker {

        private final RpcCaller caller;

        // guarded by the askers
        private boolean isAnswered;

        private boolean hasLeft;

        Asker(RpcCaller caller) {
            this.caller = caller;
        }
    }

    /** Makes room for a call; returns whether there is any, as others may all still wait for their answers. */
    boolean enter(Asker newcomer) {
        Optional<Asker> leaving = Optional.empty();
        synchronized (this) {
            if (unread.size() >= MAX) {
                leaving = oldestOfMost();
                if (leaving.isEmpty()) {
                    return false;
                }
                unread.remove(leaving.orElseThrow());
            }
            unread.add(newcomer);
        }
        // all calls on that connection leave by this
        leaving.ifPresent(asker -> asker.caller.hangUp());
        return true;
    }

    private Optional<Asker> oldestOfMost() {
        Comparator<Asker> byUser = Comparator.comparingLong(asker -> unread.stream()
                .filter(one -> one.caller.uid() == asker.caller.uid())
                .count());
        // of equals, the first one is the maximum
        return unread.stream().filter(asker -> asker.isAnswered).max(byUser);
    }

    /** Notes that the answer is there to be read. */
    synchronized void noteAnswer(Asker asker) {
        asker.isAnswered = true;
        if (asker.hasLeft) {
            unread.remove(asker);
        }
    }

    /**
     * Gives the room back, or has {@link #noteAnswer} do so: the answer of a caller that has gone is worked out all the same,
     * and takes a thread until then. May be called again.
     */
    synchronized void leave(Asker asker) {
        asker.hasLeft = true;
        if (asker.isAnswered) {
            unread.remove(asker);
        }
    }
}
