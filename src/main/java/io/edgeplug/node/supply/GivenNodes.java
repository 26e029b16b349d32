package io.edgeplug.node.supply;

import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Event;
import io.edgeplug.model.device.IdentifiedNode;
import io.edgeplug.node.prepare.GivenNodeNotes;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.flow.Threads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Logger;

/**
 * Keeps the notes on disk of the device nodes that pods were given. The custodian has the same while somebody has the
 * device. Thread-safe.
 */
final class GivenNodes {

    private static final Logger LOG = Logger.getLogger(GivenNodes.class.getName());

    private final GivenNodeNotes notes;
    private final Custodian custodian;

    /** By device, as the disk has them; empty until they were read. */
    private Map<String, List<IdentifiedNode>> kept = new TreeMap<>();

    private boolean isRead;

    /** The last problem that was logged; empty if there is none. */
    private String told = "";

    /** Whether this process is the node's one daemon. One that is tried out may have no right to write. */
    private volatile boolean isDaemon;

    GivenNodes(Sysfs sysfs, Custodian custodian) {
        this.notes = new GivenNodeNotes(sysfs);
        this.custodian = custodian;
    }

    void useAsDaemon() {
        isDaemon = true;
    }

    /** What the disk says of a device, for a record that knows no nodes yet. */
    synchronized Event.Handed of(String device) {
        read();
        return new Event.Handed(kept.getOrDefault(device, List.of()));
    }

    /** The nodes that those were given who have the device; none if that is not known. */
    List<IdentifiedNode> given(String device) {
        List<IdentifiedNode> held = custodian.of(device).nodes();
        // While the notes of holders cannot be read, only the disk knows.
        return held.isEmpty() ? of(device).nodes() : held;
    }

    private void read() {
        if (!isRead && isDaemon) {
            isRead = true;
            kept = new TreeMap<>(
                    notes.all(problem -> LOG.warning("not known which device nodes a pod was given: " + problem)));
        }
    }

    /** Notes what the custodian knows. Waits for the disk. */
    void add() {
        write(false);
    }

    /** The same, and deletes the notes of devices that nobody has. It must be known who has which device. */
    void keep() {
        write(true);
    }

    private void write(boolean deletes) {
        Map<String, List<IdentifiedNode>> now = custodian.nodes();
        if (!isDaemon || !differs(now, deletes)) {
            return;
        }
        Threads.onDisk("given nodes", () -> write(now, deletes));
    }

    private synchronized boolean differs(Map<String, List<IdentifiedNode>> now, boolean deletes) {
        read();
        return deletes
                ? !now.equals(kept)
                : now.entrySet().stream().anyMatch(one -> !one.getValue().equals(kept.get(one.getKey())));
    }

    /** A note that fails does not keep the others from the disk. */
    private synchronized void write(Map<String, List<IdentifiedNode>> now, boolean deletes) {
        String problem = "";
        List<String> changed = new ArrayList<>(now.keySet());
        if (deletes) {
            changed.addAll(0, kept.keySet());
        }
        for (String device : changed) {
            try {
                write(device, now.getOrDefault(device, List.of()));
            } catch (IOException e) {
                problem = String.valueOf(e.getMessage());
            }
        }
        if (!problem.isEmpty() && !problem.equals(told)) {
            LOG.warning("cannot note which device nodes pods were given: " + problem);
        }
        told = problem;
    }

    private void write(String device, List<IdentifiedNode> nodes) throws IOException {
        if (nodes.isEmpty()) {
            notes.delete(device);
            boolean ignored = kept.remove(device) != null;
        } else if (!nodes.equals(kept.get(device))) {
            notes.note(device, nodes);
            kept.put(device, nodes);
        }
    }
}
