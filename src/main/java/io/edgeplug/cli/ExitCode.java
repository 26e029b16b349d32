package io.edgeplug.cli;

/** The exit codes of the process. The option parser itself has 2, for wrong usage. */
final class ExitCode {

    static final int OK = 0;
    static final int FAILURE = 1;

    /** EX_CONFIG of sysexits.h. systemd does not restart the service after it. */
    static final int CONFIG = 78;

    /** EX_SOFTWARE of sysexits.h. */
    static final int BUG = 70;

    private ExitCode() {}
}
