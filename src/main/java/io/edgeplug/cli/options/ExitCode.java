package io.edgeplug.cli.options;

/** The exit codes of the process. The option parser itself has 2, for wrong usage. */
public final class ExitCode {

    public static final int OK = 0;
    public static final int FAILURE = 1;

    /** EX_CONFIG of sysexits.h. systemd does not restart the service after it. */
    public static final int CONFIG = 78;

    /** EX_SOFTWARE of sysexits.h. */
    public static final int BUG = 70;

    private ExitCode() {}
}
