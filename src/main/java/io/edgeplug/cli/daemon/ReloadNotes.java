package io.edgeplug.cli.daemon;

import io.edgeplug.cli.notes.ClassNotes;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.flow.Front;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.logging.Logger;

/** Logs the notes of {@code check} on the classes after a reload, each once; one thread. */
final class ReloadNotes implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(ReloadNotes.class.getName());

    /** Devices that a new class takes have been looked at by then. */
    private static final Duration MARGIN = Duration.ofMillis(500);

    private final Monitor monitor;
    private final Sysfs sysfs;

    /** Guarded by this. */
    private final Set<String> told = new HashSet<>();

    private Thread looking = Thread.ofVirtual().unstarted(() -> {});

    ReloadNotes(Monitor monitor, Sysfs sysfs) {
        // A virtual thread must not hang, and the scan tells of files that hang.
        this.sysfs = sysfs.nearOnly();
        this.monitor = monitor;
    }

    /** Looks at the classes that the monitor uses, once their devices have been left alone for {@code settle}. */
    void look(List<DeviceClass> classes, Duration settle) {
        looking.interrupt();
        looking = Front.STATUS.virtual("notes of a reload").start(() -> {
            try {
                tell(classes, monitor.inventories().awaitNewerThan(Long.MAX_VALUE, settle.plus(MARGIN)));
            } catch (InterruptedException e) {
                LOG.finest("the next reload has notes of its own");
            }
        });
    }

    private synchronized void tell(List<DeviceClass> classes, Inventory inventory) {
        List<String> notes = new ArrayList<>(ClassNotes.of(classes));
        notes.addAll(ClassNotes.of(classes, inventory, sysfs));
        told.retainAll(notes);
        notes.stream().filter(told::add).forEach(note -> LOG.info("note: " + note));
    }

    @Override
    public void close() {
        looking.interrupt();
    }
}
