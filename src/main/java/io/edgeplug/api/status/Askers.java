package io.edgeplug.api.status;

import io.edgeplug.system.rpc.RpcCaller;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The callers whose answers are in memory because they have not read them yet. If there is no room for another one, the
 * daemon closes the oldest connection of the user who has most of them. So no user can block others.
 */
final class Askers {

    /** Each answer may have 2 MB. */
    static final int MAX = 16;

    /** The oldest first. */
    private final List<Asker> unread = new ArrayList<>();

    /** One call, until its answer is read or its caller has gone. */
    static final class Asker {

        private final RpcCaller caller;

        // Guarded by the askers.
        private boolean isAnswered;

        private boolean hasLeft;

        Asker(RpcCaller caller) {
            this.caller = caller;
        }
    }

    /** Makes room for a call. Returns whether there is any: all others may still wait for their answers. */
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
        // All calls of that connection end with it.
        leaving.ifPresent(asker -> asker.caller.hangUp());
        return true;
    }

    private Optional<Asker> oldestOfMost() {
        Comparator<Asker> byUser = Comparator.comparingLong(asker -> unread.stream()
                .filter(one -> one.caller.uid() == asker.caller.uid())
                .count());
        // Of equal elements, max returns the first.
        return unread.stream().filter(asker -> asker.isAnswered).max(byUser);
    }

    /** Notes that the answer can be read. */
    synchronized void noteAnswer(Asker asker) {
        asker.isAnswered = true;
        if (asker.hasLeft) {
            unread.remove(asker);
        }
    }

    /**
     * Frees the room, or has {@link #noteAnswer} do so: the answer of a caller that has gone is made all the same, and takes a
     * thread until then. May be called again.
     */
    synchronized void leave(Asker asker) {
        asker.hasLeft = true;
        if (asker.isAnswered) {
            unread.remove(asker);
        }
    }
}
