package io.edgeplug.inventory;

import io.edgeplug.rules.DeviceClass;
import java.util.List;

/** The classes that get the devices: those that were asked for last, once the scanner has adopted them. Thread-safe. */
final class Classes {

    private List<DeviceClass> wanted;
    private List<DeviceClass> taken;

    Classes(List<DeviceClass> classes) {
        wanted = List.copyOf(classes);
        taken = wanted;
    }

    synchronized void want(List<DeviceClass> classes) {
        wanted = List.copyOf(classes);
    }

    /** Adopts the wanted classes. For the scanner. */
    synchronized boolean takeUp() {
        boolean differ = !taken.equals(wanted);
        taken = wanted;
        return differ;
    }

    /** The classes that the scanner has adopted. */
    synchronized List<DeviceClass> current() {
        return taken;
    }
}
