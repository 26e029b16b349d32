package io.edgeplug.cli;

/** What the process says as it ends; 2, for wrong usage, is said by the option parser itself. */
final class ExitCode {

    static final int OK = 0;
    static final int FAILURE = 1;

    /** EX_CONFIG of sysexits.h; systemd does not restart the service on it. */
    static final int CONFIG = 78;

    /** EX_SOFTWARE of sysexits.h. */
    static final int BUG = 70;

    private ExitCode() {}
}
