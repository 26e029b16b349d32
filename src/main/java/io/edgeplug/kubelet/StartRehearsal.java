package io.edgeplug.kubelet;

import io.edgeplug.flow.Deadline;
import io.edgeplug.flow.Threads;
import io.edgeplug.linux.UnixRpc;
import io.edgeplug.supply.Resource;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.logging.Logger;

/**
 * The {@link Rehearsal} at the start, on a thread of its own. It pauses while a real kubelet needs the resources. For
 * one use.
 */
final class StartRehearsal implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(StartRehearsal.class.getName());

    /** The longest that a start waits for the rehearsal, which takes about a second. */
    private static final Duration REHEARSED_WITHIN = Duration.ofSeconds(3);

    private final UnixRpc rpc;
    private final PluginDirectory directory;
    private final Registrations registrations;
    private final Supplier<List<Resource>> resources;
    private final Thread thread;

    StartRehearsal(
            UnixRpc rpc, PluginDirectory directory, Registrations registrations, Supplier<List<Resource>> resources) {
        this.rpc = rpc;
        this.directory = directory;
        this.registrations = registrations;
        this.resources = resources;
        this.thread = Thread.ofPlatform().name("rehearsal").daemon().unstarted(this::rehearse);
    }

    /**
     * Begins. If no kubelet listens yet, waits a short time for the end, so that a starting kubelet does not come in
     * the middle.
     */
    void start() throws InterruptedException {
        thread.start();
        if (!directory.isRegistry() && !UnixRpc.isListening(directory.kubeletSocket())) {
            boolean ignored = thread.join(REHEARSED_WITHIN);
        }
    }

    /** Waits for the end, up to a timeout, and returns whether it has ended. */
    boolean await(Duration timeout) throws InterruptedException {
        return thread.join(timeout);
    }

    private void rehearse() {
        try {
            List<Resource> all = resources.get();
            if (!all.isEmpty()) {
                new Rehearsal(rpc, all, this::awaitRegistered).run();
                // Otherwise the garbage of the rehearsal would be collected just when the kubelet comes.
                System.gc();
            }
        } catch (InterruptedException e) {
            LOG.fine("no longer rehearsing");
        }
    }

    /**
     * Waits, up to a limit, until a kubelet that has come knows all resources, or has gone. The socket of a dead
     * kubelet may stay for long.
     */
    private boolean awaitRegistered() throws InterruptedException {
        Deadline patience = Deadline.in(PluginDirectory.LONGEST_RETRY);
        long generation = directory.views().get().generation();
        while (!directory.isRegistry() && registrations.hasKubelet() && !registrations.areComplete()) {
            if (patience.isOver()) {
                return false;
            }
            generation = directory
                    .views()
                    .awaitNewerThan(generation, patience.wakeUp())
                    .generation();
        }
        return true;
    }

    /** Makes it end soon. */
    void interrupt() {
        thread.interrupt();
    }

    @Override
    public void close() {
        Threads.end(thread);
    }
}
