package io.edgeplug.prepare;

import io.edgeplug.device.PciAddress;
import io.edgeplug.linux.ProcessIdentity;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.scan.ChangeNote;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/**
 * Writes the {@link ChangeNote} of each function while it is being changed, with the settings that it had before, so that
 * the next process can put back what a killed one left.
 */
final class ChangeNotes {

    private final Notes notes;

    ChangeNotes(Sysfs sysfs) {
        this.notes = new Notes(sysfs, ChangeNote.DIRECTORY);
    }

    /** A directory for what only root may see. */
    Path directory() throws IOException {
        return notes.directory();
    }

    /** This process begins something. */
    void remember(PciAddress address, FunctionSettings before) throws IOException {
        Properties note = before.note();
        note.setProperty(ChangeNote.BY, ProcessIdentity.own().toString());
        notes.write(address.toString(), note);
    }

    /** Nobody goes on with it, and it could not be put back. */
    void leave(PciAddress address, FunctionSettings before, String problem) throws IOException {
        Properties note = before.note();
        note.setProperty(ChangeNote.PROBLEM, problem);
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

    /** The settings of a function before something was begun with it; empty if nothing was, or all was finished. */
    Optional<FunctionSettings> settingsBefore(PciAddress address) throws IOException {
        return notes.read(address.toString()).map(FunctionSettings::of);
    }
}
