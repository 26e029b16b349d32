package io.edgeplug.lab.localkubelet;

/** A plugin could not be reached or answered with an error. */
final class PluginException extends Exception {

    private static final long serialVersionUID = 1;

    PluginException(String reason) {
        super(reason);
    }

    /** Never null. */
    String reason() {
        return String.valueOf(getMessage());
    }
}
