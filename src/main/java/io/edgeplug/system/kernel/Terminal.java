package io.edgeplug.system.kernel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/** Whether a person reads the output of this process, and how wide it may be. */
public final class Terminal {

    private static final int STANDARD_OUTPUT = 1;
    private static final int STANDARD_ERROR = 2;

    /** Pseudo terminals, virtual consoles and serial ports. */
    private static final Pattern NAME = Pattern.compile("/dev/(pts/\\d+|console|tty\\w*|hvc\\d+)");

    /** See ioctl_tty(2); the same number on x86-64 and 64-bit Arm. */
    private static final long TIOCGWINSZ = 0x5413;

    /** Four numbers of 16 bits. The second is the number of columns. */
    private static final int BYTES = 8;

    private static final int COLUMNS_AT = 2;

    private Terminal() {}

    /** Whether standard output is a terminal. */
    public static boolean isStdout() {
        return is(STANDARD_OUTPUT);
    }

    /** Whether standard output is a terminal for a person who wants colours; see no-color.org. */
    public static boolean isColored() {
        return isStdout() && System.getenv().getOrDefault("NO_COLOR", "").isEmpty();
    }

    /** Whether standard error is a terminal, which does not show the time of a line. */
    public static boolean isStderr() {
        return is(STANDARD_ERROR);
    }

    private static boolean is(int descriptor) {
        try {
            Path file = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor));
            return NAME.matcher(file.toString()).matches();
        } catch (IOException e) {
            return false;
        }
    }

    /** The number of columns of standard output; empty if it is no terminal, or one that does not report them. */
    public static OptionalInt columns() {
        ByteBuffer size = KernelCalls.memory(BYTES);
        if (KernelCalls.ioctl(STANDARD_OUTPUT, TIOCGWINSZ, KernelCalls.address(size)) < 0) {
            return OptionalInt.empty();
        }
        int columns = Short.toUnsignedInt(size.getShort(COLUMNS_AT));
        return columns == 0 ? OptionalInt.empty() : OptionalInt.of(columns);
    }
}
