package io.edgeplug.prepare;

import io.edgeplug.device.PciAddress;
import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/** Functions that a recipe gave another driver, and which they had before the first recipe that did. */
final class Rebound {

    private static final String DIRECTORY = "run/edgeplug/rebound";
    private static final String BOUND = "bound";

    private final Notes notes;

    Rebound(Sysfs sysfs) {
        this.notes = new Notes(sysfs, DIRECTORY);
    }

    /** Notes how a function is that is about to be bound to a driver. */
    void remember(PciBinding binding, Before before, String driver) throws IOException {
        Properties note = before(binding).orElse(before).note();
        note.setProperty(BOUND, driver);
        notes.write(binding.address(), note);
    }

    /** How a function was; empty if it does not have the driver any more that a recipe gave it. */
    Optional<Before> before(PciBinding binding) throws IOException {
        Optional<String> driver = binding.driver();
        return notes.read(binding.address())
                .filter(note -> Optional.ofNullable(note.getProperty(BOUND)).equals(driver))
                .map(Before::of);
    }

    void forget(PciAddress address) throws IOException {
        notes.delete(address);
    }

    /** Those that may still have another driver. */
    List<PciAddress> functions() throws IOException {
        return notes.functions();
    }
}
