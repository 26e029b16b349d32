package io.edgeplug.api.metrics;

import io.edgeplug.api.status.NodeStatus;
import io.edgeplug.api.status.NodeView;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.flow.LosableThreads;
import io.edgeplug.system.flow.MemoryBudget;
import java.io.IOException;
import java.io.Writer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the status and the counters for one caller at a time, and has {@link Exposition} write them as a stream. May
 * wait.
 */
final class Scrape {

    /** A read of the counters that takes longer is left alone, and there are no counters until it returns. */
    private static final Duration COUNTED_WITHIN = Duration.ofSeconds(2);

    /** How much memory the status of a device takes, with its holders and its counters, until the reader has it. */
    private static final int OF_DEVICE = 512;

    /** The same for the counters of a port of an RDMA device: ConnectX adapters have some fifty. */
    private static final int OF_PORT = 2 << 10;

    /** Readers that are slow give their memory back within some seconds. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final NodeView view;
    private final Sysfs sysfs;
    private final boolean isThisNode;

    private final LosableThreads reader = new LosableThreads(1, 1);

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

    /**
     * Writes the metrics. The reader may take its time, and others are answered meanwhile.
     *
     * @throws IOException if the reader fails, or too much memory is in use for others
     */
    void write(Writer out) throws IOException, InterruptedException {
        int memory = view.devices() * OF_DEVICE + view.ports() * OF_PORT;
        try (MemoryBudget.Share ignored = MemoryBudget.OF_PROCESS.take(memory, PATIENCE)) {
            NodeStatus status;
            PortCounters counters;
            synchronized (this) {
                status = view.read();
                counters = counters(status);
            }
            new Exposition(out).write(status, counters);
        }
    }

    /** A driver that hangs must cost only its counters and one thread. */
    private PortCounters counters(NodeStatus status) throws IOException, InterruptedException {
        try {
            return reader.call("counters", "counters", () -> read(status)).await(COUNTED_WITHIN);
        } catch (LosableThreads.OverdueException e) {
            return PortCounters.none();
        }
    }

    private PortCounters read(NodeStatus status) {
        List<PortCounters> read = new ArrayList<>();
        boolean ignored = Front.METRICS.attempt(() -> read.add(PortCounters.read(sysfs, isThisNode, status)));
        return read.isEmpty() ? PortCounters.none() : read.getFirst();
    }
}
