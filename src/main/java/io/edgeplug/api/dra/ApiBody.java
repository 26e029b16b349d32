package io.edgeplug.api.dra;

import io.edgeplug.system.flow.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The body of an answer, on its way from the loop to the one thread that reads it. Few bytes wait here. The rest of a
 * long answer waits in the kernel, and then at the server.
 */
final class ApiBody extends InputStream {

    private static final int MAX_WAITING = 32 << 10;

    private final Deadline deadline;
    private final Consumer<Boolean> reading;
    private final Deque<byte[]> parts = new ArrayDeque<>();
    private int waiting;
    private boolean isEnded;
    private @Nullable IOException failure;

    /** Only the reader uses these. */
    private byte[] part = {};

    private int at;

    /**
     * A body that must have been read by the deadline.
     *
     * @param reading told whether more is wanted from the connection
     */
    ApiBody(Deadline deadline, Consumer<Boolean> reading) {
        this.deadline = deadline;
        this.reading = reading;
    }

    synchronized void add(byte[] bytes) {
        parts.add(bytes);
        waiting += bytes.length;
        if (waiting > MAX_WAITING) {
            reading.accept(false);
        }
        notifyAll();
    }

    synchronized void end() {
        isEnded = true;
        notifyAll();
    }

    synchronized void fail(IOException reason) {
        if (!isEnded && failure == null) {
            failure = reason;
            notifyAll();
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        while (at == part.length) {
            if (!next()) {
                return -1;
            }
        }
        int count = Math.min(length, part.length - at);
        System.arraycopy(part, at, buffer, offset, count);
        at += count;
        return count;
    }

    private synchronized boolean next() throws IOException {
        try {
            while (parts.isEmpty() && !isEnded && failure == null) {
                if (deadline.isOver()) {
                    throw new IOException("does not answer in time");
                }
                TimeUnit.MILLISECONDS.timedWait(
                        this, Math.max(1, deadline.left().toMillis()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
        if (parts.isEmpty()) {
            if (failure != null) {
                throw failure;
            }
            return false;
        }
        part = parts.remove();
        at = 0;
        waiting -= part.length;
        if (waiting <= MAX_WAITING) {
            reading.accept(true);
        }
        return true;
    }
}
