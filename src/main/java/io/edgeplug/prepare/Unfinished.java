package io.edgeplug.prepare;

import io.edgeplug.device.Changing;
import io.edgeplug.device.PciAddress;
import io.edgeplug.linux.ProcessIdentity;
import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/** How functions were before something was begun with them, so that the next process can put back what a killed one left. */
final class Unfinished {

    private final Notes notes;

    Unfinished(Sysfs sysfs) {
        this.notes = new Notes(sysfs, Changing.DIRECTORY);
    }

    /** A directory for what only root may see. */
    Path directory() throws IOException {
        return notes.directory();
    }

    /** This process begins something. */
    void remember(PciAddress address, Before before) throws IOException {
        Properties note = before.note();
        note.setProperty(Changing.BY, ProcessIdentity.own().toString());
        notes.write(address.toString(), note);
    }

    /** Nobody goes on with it, and it could not be put back. */
    void leave(PciAddress address, Before before, String problem) throws IOException {
        Properties note = before.note();
        note.setProperty(Changing.PROBLEM, problem);
        notes.write(address.toString(), note);
    }

    void forget(PciAddress address) throws IOException {
        notes.delete(address.toString());
    }

    /** The functions with which something was begun and not finished. */
    List<PciAddress> functions() throws IOException {
        return notes.functions();
    }

    /** What else there is, of processes that run or were killed. */
    List<Path> others() throws IOException {
        return notes.others();
    }

    /** How a function was before something was begun with it; empty if nothing was, or all was finished. */
    Optional<Before> before(PciAddress address) throws IOException {
        return notes.read(address.toString()).map(Before::of);
    }
}
