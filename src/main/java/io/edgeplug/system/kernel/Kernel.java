package io.edgeplug.system.kernel;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The side that acts when an attribute is written or a device node is called: the kernel of this node, or a simulated
 * one.
 *
 * <p>The calls block until it has acted, which may be never: a reset can hang in the kernel beyond any signal. So
 * callers use a thread that may be lost.
 */
public interface Kernel {

    /**
     * Writes all bytes to an existing attribute, at once. An interrupt does not prevent this.
     *
     * @throws IOException with the kernel's reason
     */
    void write(Path attribute, byte[] value) throws IOException;

    /**
     * Calls a device node; see ioctl(2).
     *
     * @return what the call returns, never negative
     * @throws IOException with the kernel's reason
     */
    int ioctl(Path node, Ioctl call) throws IOException;

    /**
     * Opens a device node for reading, and closes it at once.
     *
     * @throws IOException with the kernel's reason: busy if somebody else has opened it exclusively
     */
    void open(Path node) throws IOException;

    /** The kernel that runs this process. */
    static Kernel running() {
        return new RunningKernel();
    }
}
