package io.edgeplug.inventory;

import io.edgeplug.rules.DeviceClass;
import java.util.List;

/** The classes that get the devices: those that were asked for last, once the scanner has adopted them. Thread-safe. */
final class Classes {

    private List<DeviceClass> wanted;
    private List<DeviceClass> taken;
    private List<DeviceClass> used;

    Classes(List<DeviceClass> classes) {
        wanted = List.copyOf(classes);
        taken = wanted;
        used = wanted;
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

    /** Reports that there is an inventory of the adopted classes. */
    synchronized void used() {
        used = taken;
        notifyAll();
    }

    /** Waits until there is an inventory of the wanted classes. */
    synchronized void awaitUse() throws InterruptedException {
        while (!used.equals(wanted)) {
            wait();
        }
    }
}
