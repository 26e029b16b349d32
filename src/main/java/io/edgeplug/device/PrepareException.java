package io.edgeplug.device;

import io.edgeplug.linux.PlainText;

/** A device could not be prepared; the message is a sentence that names it, for {@code kubectl describe pod}. */
public final class PrepareException extends Exception {

    private static final long serialVersionUID = 1;

    private final String problem;

    /** Names the device and its problem, in a sentence. */
    public PrepareException(String device, String problem) {
        super(sentence(device, problem));
        this.problem = problem;
    }

    /** The same, after another exception. */
    public PrepareException(String device, String problem, Throwable cause) {
        super(sentence(device, problem), cause);
        this.problem = problem;
    }

    /** The step and its cause: {@code reset: write reset: Input/output error}. */
    public String problem() {
        return problem;
    }

    private static String sentence(String device, String problem) {
        return PlainText.of("Device " + device + " could not be prepared: " + problem + ".");
    }
}
