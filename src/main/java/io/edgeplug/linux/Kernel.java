package io.edgeplug.linux;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Who acts when an attribute is written or a node is called: the kernel of this node, or a simulated one.
 *
 * <p>Both block until it has acted, which it may never do: a reset can hang in the kernel beyond any signal. Callers
 * have a thread to spare.
 */
public interface Kernel {

    /**
     * Writes all bytes of an attribute that is there, at once. An interrupt does not keep it from writing.
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
     * Opens a device node for reading and writing, and closes it at once.
     *
     * @throws IOException with the kernel's reason, which is that it is busy if somebody else has it alone
     */
    void open(Path node) throws IOException;

    /** The kernel that runs this process. */
    static Kernel running() {
        return new RunningKernel();
    }
}
