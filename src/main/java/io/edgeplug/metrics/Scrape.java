package io.edgeplug.metrics;

import io.edgeplug.flow.Deadline;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.status.NodeStatus;
import io.edgeplug.status.NodeView;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** Reads the status and the counters for one caller at a time, and has {@link Exposition} write them. May wait. */
final class Scrape {

    /** A read of the counters that takes longer is left alone, and there are no counters until it returns. */
    private static final Duration COUNTED_WITHIN = Duration.ofSeconds(2);

    private final NodeView view;
    private final Sysfs sysfs;
    private final boolean isThisNode;

    // The fields below are guarded by this.
    private Optional<Thread> reader = Optional.empty();

    /** The size of the last text, so that the buffer need not grow. */
    private int size = 4096;

    /**
     * A scrape of that node.
     *
     * @param isThisNode whether it is the one that this runs on, whose kernel may be asked too
     */
    Scrape(NodeView view, Sysfs sysfs, boolean isThisNode) {
        this.view = view;
        this.sysfs = sysfs;
        this.isThisNode = isThisNode;
    }

    synchronized byte[] text() throws InterruptedException {
        NodeStatus status = view.read();
        ByteArrayOutputStream out = new ByteArrayOutputStream(size);
        try {
            new Exposition(out).write(status, counters(status));
        } catch (IOException e) {
            throw new UncheckedIOException("memory does not fail so", e);
        }
        size = out.size() + 4096;
        return out.toByteArray();
    }

    /** Runs on a thread that may be lost: a driver that hangs must cost only its counters and one thread. */
    private PortCounters counters(NodeStatus status) throws InterruptedException {
        if (reader.filter(Thread::isAlive).isPresent()) {
            return PortCounters.none();
        }
        BlockingQueue<PortCounters> read = new ArrayBlockingQueue<>(1);
        Deadline deadline = Deadline.in(COUNTED_WITHIN);
        reader = Optional.of(Thread.ofPlatform()
                .name("counters")
                .daemon()
                .start(() -> read.add(PortCounters.read(sysfs, isThisNode, status))));
        return Optional.ofNullable(read.poll(deadline.left().toNanos(), TimeUnit.NANOSECONDS))
                .orElseGet(PortCounters::none);
    }
}
