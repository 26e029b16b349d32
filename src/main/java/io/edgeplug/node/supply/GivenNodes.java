package io.edgeplug.node.supply;

import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Event;
import io.edgeplug.model.device.IdentifiedNode;
import io.edgeplug.system.files.Notes;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.flow.Threads;
import io.edgeplug.system.systemd.Outage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The device nodes that pods were given, with one file for each device in {@code /var/lib/edgeplug/nodes}. The custodian
 * has the same while somebody has the device. The kubelet starts a container with the same paths again, also after a
 * reboot. The numbers of the nodes hold until then: a note in {@code /run} says that this is still the boot in which they
 * were noted. Thread-safe.
 */
final class GivenNodes {

    private static final Logger LOG = Logger.getLogger(GivenNodes.class.getName());

    private static final String PATH = "path.";
    private static final String NUMBER = "number.";
    private static final String ORIGIN = "origin.";

    private static final String BOOT = "boot";

    private final Notes notes;
    private final Notes thisBoot;
    private final Custodian custodian;

    /** By device, as the disk has them; empty until they were read. */
    private final Map<String, List<IdentifiedNode>> kept = new TreeMap<>();

    private boolean isRead;

    /** The last problem that was logged; empty if there is none. */
    private final Outage outage = new Outage(LOG);

    /** Whether this process is the node's one daemon. One that is tried out may have no right to write. */
    private volatile boolean isDaemon;

    GivenNodes(Sysfs sysfs, Custodian custodian) {
        this.notes = new Notes(sysfs, "var/lib/edgeplug/nodes", ".nodes");
        this.thisBoot = new Notes(sysfs, "run/edgeplug/nodes");
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
            try {
                boolean areNumbersValid = thisBoot.exists(BOOT);
                for (String device : notes.names()) {
                    read(device, areNumbersValid);
                }
                if (!areNumbersValid) {
                    thisBoot.write(BOOT, new Properties());
                }
            } catch (IOException e) {
                tellUnread(e);
            }
        }
    }

    /** A note that cannot be read does not keep the others from being read. */
    private void read(String device, boolean areNumbersValid) {
        try {
            Properties note = notes.read(device).orElseGet(Properties::new);
            List<IdentifiedNode> nodes = new ArrayList<>();
            for (int i = 0; note.containsKey(PATH + i); i++) {
                nodes.add(new IdentifiedNode(
                        note.getProperty(PATH + i),
                        note.getProperty(NUMBER + i, ""),
                        note.getProperty(ORIGIN + i, "")));
            }
            if (!areNumbersValid) {
                nodes.replaceAll(IdentifiedNode::afterBoot);
                notes.write(device, note(nodes));
            }
            kept.put(device, List.copyOf(nodes));
        } catch (IOException e) {
            tellUnread(e);
        }
    }

    private static void tellUnread(IOException e) {
        LOG.warning("not known which device nodes a pod was given: " + e.getMessage());
    }

    private static Properties note(List<IdentifiedNode> nodes) {
        Properties note = new Properties();
        for (int i = 0; i < nodes.size(); i++) {
            note.setProperty(PATH + i, nodes.get(i).path());
            note.setProperty(NUMBER + i, nodes.get(i).number());
            note.setProperty(ORIGIN + i, nodes.get(i).origin());
        }
        return note;
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
        if (problem.isEmpty()) {
            outage.works();
        } else {
            outage.failed(Level.WARNING, "cannot note which device nodes pods were given: " + problem);
        }
    }

    private void write(String device, List<IdentifiedNode> nodes) throws IOException {
        if (nodes.isEmpty()) {
            notes.delete(device);
            boolean ignored = kept.remove(device) != null;
        } else if (!nodes.equals(kept.get(device))) {
            notes.writeForGood(device, note(nodes));
            kept.put(device, nodes);
        }
    }
}
