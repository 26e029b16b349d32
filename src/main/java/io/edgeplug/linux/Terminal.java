package io.edgeplug.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Whether a person reads what this process writes. */
public final class Terminal {

    /** Pseudo terminals, virtual consoles and serial ports. */
    private static final Pattern NAME = Pattern.compile("/dev/(pts/\\d+|console|tty\\w*|hvc\\d+)");

    private Terminal() {}

    /** Whether standard output is a terminal. */
    public static boolean isStdout() {
        return is(1);
    }

    /** Whether standard error is a terminal; nobody notes beside it when a line was written. */
    static boolean isStderr() {
        return is(2);
    }

    private static boolean is(int descriptor) {
        try {
            Path file = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor));
            return NAME.matcher(file.toString()).matches();
        } catch (IOException e) {
            return false;
        }
    }
}
