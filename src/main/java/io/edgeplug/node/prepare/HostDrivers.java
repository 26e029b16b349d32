package io.edgeplug.node.prepare;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.system.files.Notes;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.kernel.KernelReason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The host drivers of functions that a recipe has bound to another driver. Each function is noted for the kubelet whose
 * pods it was bound for, because only the checkpoint of that kubelet shows whether a container still holds it.
 */
final class HostDrivers {

    private static final String BOUND = "bound";
    private static final String KUBELET_DIR = "kubelet_dir";

    private final Notes notes;
    private final Consumer<PrepareEvent> told;
    private volatile Path kubeletDir;

    /** Functions whose notes count no more, although they could not be deleted. */
    private final Set<PciAddress> forgotten = ConcurrentHashMap.newKeySet();

    /** By function, why its note cannot be read. Each is reported once, however often it is read. */
    private final Map<PciAddress, String> unreadable = new ConcurrentHashMap<>();

    HostDrivers(Sysfs sysfs, Path kubeletDir, Consumer<PrepareEvent> told) {
        this.notes = new Notes(sysfs, "run/edgeplug/rebound");
        this.kubeletDir = kubeletDir;
        this.told = told;
    }

    /** Binds for the kubelet with that directory from now on. */
    void use(Path other) {
        kubeletDir = other;
    }

    /** Notes the settings of a function before it is bound to a recipe's driver. */
    void remember(PciBinding binding, FunctionSettings before, String driver) throws IOException {
        Optional<Properties> first = valid(binding);
        Properties note = first.orElseGet(before::note);
        if (first.isEmpty()) {
            note.setProperty(KUBELET_DIR, text(kubeletDir));
        }
        note.setProperty(BOUND, driver);
        notes.write(binding.address().toString(), note);
        forgotten.remove(binding.address());
    }

    /** The settings that a function had; empty if it no longer has the driver of a recipe. */
    Optional<FunctionSettings> settingsBefore(PciBinding binding) throws IOException {
        return valid(binding).map(FunctionSettings::of);
    }

    private Optional<Properties> valid(PciBinding binding) throws IOException {
        if (forgotten.contains(binding.address())) {
            return Optional.empty();
        }
        Optional<String> driver = binding.driver();
        return notes.read(binding.address().toString())
                .filter(note -> Optional.ofNullable(note.getProperty(BOUND)).equals(driver));
    }

    /**
     * Deletes the note of a function. If that fails, the note counts no more, so that this process does not act on it
     * again and again.
     *
     * @return why it is still there; empty if it is not
     */
    Optional<String> forget(PciAddress address) {
        forgotten.add(address);
        try {
            notes.delete(address.toString());
            forgotten.remove(address);
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(notes.place(address.toString()) + " cannot be deleted: " + KernelReason.words(e));
        }
    }

    /**
     * The functions that may still have a recipe's driver for the kubelet with that directory. One whose note cannot be
     * read stays as it is, and is reported.
     */
    List<PciAddress> functions(Path of) throws IOException {
        return ChangeNotes.functions(notes).stream()
                .filter(address -> !forgotten.contains(address) && isFor(of, address))
                .toList();
    }

    private boolean isFor(Path of, PciAddress address) {
        try {
            Optional<Properties> note = notes.read(address.toString());
            unreadable.remove(address);
            return note.filter(one -> text(of).equals(one.getProperty(KUBELET_DIR)))
                    .isPresent();
        } catch (IOException e) {
            String why = String.valueOf(e.getMessage());
            if (!why.equals(unreadable.put(address, why))) {
                told.accept(new PrepareEvent.Recovered(
                        address.toString(),
                        "does not return to its host driver, because the note of its host driver cannot be read: "
                                + why));
            }
            return false;
        }
    }

    private static String text(Path directory) {
        return directory.toAbsolutePath().normalize().toString();
    }
}
