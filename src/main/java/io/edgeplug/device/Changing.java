package io.edgeplug.device;

import io.edgeplug.linux.Sysfs;
import java.io.IOException;

/**
 * Where it is noted that a process of ours is changing a function, which is neither one thing nor the other meanwhile:
 * whoever follows devices leaves it as it was until the note is gone.
 */
public final class Changing {

    /** From the node's root; not there if nothing was ever changed since the boot. */
    public static final String DIRECTORY = "run/edgeplug/prepare";

    private Changing() {}

    /** Whether a function is being changed; not if the notes cannot be read. */
    public static boolean concerns(Sysfs sysfs, PciAddress function) {
        try {
            return sysfs.exists(file(function));
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether a device is a function that is being changed, or a part of one. */
    public static boolean concerns(Sysfs sysfs, Device device) {
        return device instanceof PciDevice pci && concerns(sysfs, pci.function().address());
    }

    /** The note of a function, from the node's root. */
    public static String file(PciAddress function) {
        return DIRECTORY + "/" + function;
    }
}
