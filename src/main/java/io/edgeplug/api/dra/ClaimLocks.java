package io.edgeplug.api.dra;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** One lock for each claim at which somebody works, given in the order in which they ask. Thread-safe. */
final class ClaimLocks {

    private final Map<String, Turn> turns = new ConcurrentHashMap<>();

    /** The lock of a claim; users is changed while the map is locked for the claim. */
    private static final class Turn {
        private final ReentrantLock lock = new ReentrantLock(true);
        private int users;
    }

    /** Waits until nobody else has this lock, and takes it. */
    void lock(String uid) throws InterruptedException {
        Turn turn = turns.compute(uid, (same, before) -> {
            Turn now = before == null ? new Turn() : before;
            now.users++;
            return now;
        });
        try {
            turn.lock.lockInterruptibly();
        } catch (InterruptedException e) {
            leave(uid);
            throw e;
        }
    }

    /** Gives it back, for the thread that has it. */
    void unlock(String uid) {
        Turn turn = turns.get(uid);
        if (turn != null) {
            turn.lock.unlock();
            leave(uid);
        }
    }

    private void leave(String uid) {
        Turn ignored = turns.computeIfPresent(uid, (same, turn) -> --turn.users == 0 ? null : turn);
    }
}
