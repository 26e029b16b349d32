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
 * The host drivers of functions that a recipe has bound to another driver. Each function is noted for the kubelet whose
 * pods it was bound for, because only the checkpoint of that kubelet shows whether a container still holds it.
 */
final class HostDrivers {

    private static final String DIRECTORY = "run/edgeplug/rebound";
    private static final String BOUND = "bound";
    private static final String KUBELET_DIR = "kubelet_dir";

    private final Notes notes;
    private volatile Path kubeletDir;

    HostDrivers(Sysfs sysfs, Path kubeletDir) {
        this.notes = new Notes(sysfs, DIRECTORY);
        this.kubeletDir = kubeletDir;
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
    }

    /** The settings that a function had; empty if it no longer has the driver of a recipe. */
    Optional<FunctionSettings> settingsBefore(PciBinding binding) throws IOException {
        return valid(binding).map(FunctionSettings::of);
    }

    private Optional<Properties> valid(PciBinding binding) throws IOException {
        Optional<String> driver = binding.driver();
        return notes.read(binding.address().toString())
                .filter(note -> Optional.ofNullable(note.getProperty(BOUND)).equals(driver));
    }

    void forget(PciAddress address) throws IOException {
        notes.delete(address.toString());
    }

    /** The functions that may still have a recipe's driver for the kubelet with that directory. */
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
