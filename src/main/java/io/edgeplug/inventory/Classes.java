package io.edgeplug.inventory;

import io.edgeplug.rules.DeviceClass;
import java.util.List;

/** Which classes get the devices: those that were asked for last, once the scanner has taken them up; thread-safe. */
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

    /** Takes up what is wanted. For the scanner. */
    synchronized boolean takeUp() {
        boolean differ = !taken.equals(wanted);
        taken = wanted;
        return differ;
    }

    /** What the scanner has taken up. */
    synchronized List<DeviceClass> current() {
        return taken;
    }

    /** Says that there is an inventory of what was taken up. */
    synchronized void used() {
        used = taken;
        notifyAll();
    }

    /** Waits until there is an inventory of what is wanted. */
    synchronized void awaitUse() throws InterruptedException {
        while (!used.equals(wanted)) {
            wait();
        }
    }
}
