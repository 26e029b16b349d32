package io.edgeplug.prepare;

import io.edgeplug.device.PciAddress;
import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/**
 * Functions that a recipe gave another driver, and which they had before the first recipe that did. Each is of the kubelet
 * whose pods it was bound for: only that one's checkpoint tells whether a container still holds it.
 */
final class Rebound {

    private static final String DIRECTORY = "run/edgeplug/rebound";
    private static final String BOUND = "bound";
    private static final String KUBELET_DIR = "kubelet_dir";

    private final Notes notes;
    private volatile Path kubeletDir;

    Rebound(Sysfs sysfs, Path kubeletDir) {
        this.notes = new Notes(sysfs, DIRECTORY);
        this.kubeletDir = kubeletDir;
    }

    /** Binds for the kubelet with that directory from now on. */
    void use(Path other) {
        kubeletDir = other;
    }

    /** Notes how a function is that is about to be bound to a driver. */
    void remember(PciBinding binding, Before before, String driver) throws IOException {
        Optional<Properties> first = valid(binding);
        Properties note = first.orElseGet(before::note);
        if (first.isEmpty()) {
            note.setProperty(KUBELET_DIR, text(kubeletDir));
        }
        note.setProperty(BOUND, driver);
        notes.write(binding.address().toString(), note);
    }

    /** How a function was; empty if it does not have the driver any more that a recipe gave it. */
    Optional<Before> before(PciBinding binding) throws IOException {
        return valid(binding).map(Before::of);
    }

    private Optional<Properties> valid(PciBinding binding) throws IOException {
        Optional<String> driver = binding.driver();
        return notes.read(binding.address().toString())
                .filter(note -> Optional.ofNullable(note.getProperty(BOUND)).equals(driver));
    }

    void forget(PciAddress address) throws IOException {
        notes.delete(address.toString());
    }

    /** Those that may still have another driver, of the kubelet with that directory. */
    List<PciAddress> functions(Path of) throws IOException {
        List<PciAddress> functions = new ArrayList<>();
        for (PciAddress address : notes.functions()) {
            if (notes.read(address.toString())
                    .filter(note -> text(of).equals(note.getProperty(KUBELET_DIR)))
                    .isPresent()) {
                functions.add(address);
            }
        }
        return functions;
    }

    private static String text(Path directory) {
        return directory.toAbsolutePath().normalize().toString();
    }
}
