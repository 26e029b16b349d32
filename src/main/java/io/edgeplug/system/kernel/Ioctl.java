package io.edgeplug.system.kernel;

import java.nio.ByteBuffer;

/**
 * A call to a device node with a structure that contains the address of more memory; see ioctl(2).
 *
 * @param request its number, as {@code _IO} and similar macros make it
 * @param argument the structure, in the machine's byte order; nothing is read back
 * @param addressAt the position in the structure for the address of {@code memory}, 8 bytes
 * @param memory direct, from its position on
 */
public record Ioctl(int request, ByteBuffer argument, int addressAt, ByteBuffer memory) {

    public Ioctl {
        if (!memory.isDirect()) {
            throw new IllegalArgumentException("the kernel cannot read from the heap");
        }
        argument = ByteBuffer.allocateDirect(argument.remaining())
                .put(argument.duplicate())
                .flip();
    }
}
