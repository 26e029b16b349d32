package io.edgeplug.system.kernel;

import java.nio.ByteBuffer;

/** Waits for events of several descriptors, or for a wake-up; see poll(2). One thread waits, any thread wakes it. */
public final class Poll {

    private static final int BYTES = 8;
    private static final int EVENTS = 4;
    private static final int RETURNED = 6;

    private final int count;
    private final int waker;
    private final ByteBuffer descriptors;

    private Poll(int count, int waker) {
        this.count = count;
        this.waker = waker;
        this.descriptors = KernelCalls.memory((count + 1) * BYTES);
    }

    /** A poll with room for that many descriptors. */
    public static Poll open(int count) {
        Poll poll = new Poll(count, KernelCalls.eventfd(0, KernelCalls.EFD_CLOEXEC));
        poll.watch(count, poll.waker, KernelCalls.POLLIN);
        return poll;
    }

    /** Waits for these events of a descriptor from now on; for none if it is negative. */
    public void watch(int place, int descriptor, short events) {
        descriptors.putInt(place * BYTES, descriptor);
        descriptors.putShort(place * BYTES + EVENTS, events);
    }

    /** Waits that long, for ever if it is negative. A signal ends it too. */
    public void await(int milliseconds) {
        for (int place = 0; place <= count; place++) {
            descriptors.putShort(place * BYTES + RETURNED, (short) 0);
        }
        int ignored = KernelCalls.poll(descriptors, count + 1, milliseconds);
    }

    /** The events that the last wait found for a descriptor. */
    public int returned(int place) {
        return descriptors.getShort(place * BYTES + RETURNED);
    }

    /** Ends this wait and each later one. */
    public void wake() {
        long ignored = KernelCalls.write(waker, KernelCalls.memory(Long.BYTES).putLong(0, 1), Long.BYTES);
    }

    public void close() {
        int ignored = KernelCalls.close(waker);
    }
}
