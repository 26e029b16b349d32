package io.edgeplug.node.prepare;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.node.scan.ChangeNote;
import io.edgeplug.system.files.Notes;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.programs.ProcessIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;

/**
 * Writes the {@link ChangeNote} of each function that is being changed, with its settings from before. So the next
 * process can restore what a killed one has left.
 */
final class ChangeNotes {

    /** Each note has one of these. */
    private static final Set<String> KEYS =
            Set.of(ChangeNote.BY, ChangeNote.PROBLEM, FunctionSettings.DRIVER, FunctionSettings.RESET_METHOD);

    private final Notes notes;

    ChangeNotes(Sysfs sysfs) {
        this.notes = new Notes(sysfs, ChangeNote.DIRECTORY);
    }

    /** A directory for files that only root may see. */
    Path directory() throws IOException {
        return notes.directory();
    }

    /** Notes that this process begins to change a function. */
    void remember(PciAddress address, FunctionSettings before) throws IOException {
        Properties note = before.note();
        note.setProperty(ChangeNote.BY, ProcessIdentity.own().toString());
        notes.write(address.toString(), note);
    }

    /** Notes that no process changes the function any more and that it could not be restored. */
    void leave(PciAddress address, FunctionSettings before, String problem) throws IOException {
        Properties note = before.note();
        note.setProperty(ChangeNote.PROBLEM, problem);
        notes.write(address.toString(), note);
    }

    void forget(PciAddress address) throws IOException {
        notes.delete(address.toString());
    }

    /** The functions whose change was begun and not finished. */
    List<PciAddress> functions() throws IOException {
        return functions(notes);
    }

    static List<PciAddress> functions(Notes notes) throws IOException {
        return notes.names().stream()
                .flatMap(name -> PciAddress.parse(name).stream())
                .toList();
    }

    /** Other files, of processes that run or were killed. */
    List<Path> others() throws IOException {
        return notes.files().stream()
                .filter(file ->
                        PciAddress.parse(String.valueOf(file.getFileName())).isEmpty())
                .toList();
    }

    /**
     * The settings of a function before its change began; empty if no change is unfinished.
     *
     * @throws IOException if the note cannot be read or does not say them; the message is a clause
     */
    Optional<FunctionSettings> settingsBefore(PciAddress address) throws IOException {
        Optional<Properties> note = notes.read(address.toString());
        // A function may have had no settings, but then the note says who has begun to change it.
        if (note.filter(one -> Collections.disjoint(one.keySet(), KEYS)).isPresent()) {
            throw new IOException(
                    "the note does not say what that was; make the function as you want it, and delete the note");
        }
        return note.map(FunctionSettings::of);
    }
}
