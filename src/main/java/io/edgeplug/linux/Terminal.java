package io.edgeplug.linux;

import java.util.OptionalInt;
import jnr.ffi.Pointer;

/** The terminal to which the process prints, if it prints to one; see ioctl_tty(2). */
public final class Terminal {

    private static final int STANDARD_OUTPUT = 1;

    /** The same number on x86-64 and 64-bit Arm. */
    private static final long TIOCGWINSZ = 0x5413;

    /** Four numbers of 16 bits, of which the second is the columns. */
    private static final int BYTES = 8;

    private static final int COLUMNS_AT = 2;

    private Terminal() {}

    /** How many columns it has; empty if standard output is no terminal, or one that does not tell. */
    public static OptionalInt columns() {
        KernelCalls calls = KernelCalls.load();
        Pointer size = KernelCalls.memory(calls, BYTES);
        if (calls.ioctl(STANDARD_OUTPUT, TIOCGWINSZ, size.address()) < 0) {
            return OptionalInt.empty();
        }
        int columns = Short.toUnsignedInt(size.getShort(COLUMNS_AT));
        return columns == 0 ? OptionalInt.empty() : OptionalInt.of(columns);
    }
}
