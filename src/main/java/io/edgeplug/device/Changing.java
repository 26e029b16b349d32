package io.edgeplug.device;

/**
 * Where it is noted that a process of ours is changing a function, which is neither one thing nor the other meanwhile:
 * whoever follows devices leaves it as it was until the note is gone.
 */
public final class Changing {

    /** From the node's root; not there if nothing was ever changed since the boot. */
    public static final String DIRECTORY = "run/edgeplug/prepare";

    private Changing() {}

    /** The note of a function, from the node's root. */
    public static String file(PciAddress function) {
        return DIRECTORY + "/" + function;
    }
}
