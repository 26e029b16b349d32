package io.edgeplug.api.kubelet;

import java.util.ArrayDeque;
import java.util.Deque;

/** What a test has opened, closed in reverse order; for tests that open the same in each method. */
public final class Closing implements AutoCloseable {

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    public <T extends AutoCloseable> T add(T one) {
        opened.push(one);
        return one;
    }

    @Override
    public void close() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }
}
