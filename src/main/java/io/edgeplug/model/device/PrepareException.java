package io.edgeplug.model.device;

import io.edgeplug.system.kernel.PlainText;

/**
 * A device could not be prepared. The message is a sentence that names the device, for {@code kubectl describe pod}.
 */
public final class PrepareException extends Exception {

    private static final long serialVersionUID = 1;

    private final String problem;

    /** Makes the sentence of the device and its problem. */
    public PrepareException(String device, String problem) {
        super(sentence(device, problem));
        this.problem = problem;
    }

    public PrepareException(String device, String problem, Throwable cause) {
        super(sentence(device, problem), cause);
        this.problem = problem;
    }

    /** The step and its cause, such as {@code reset: write reset: Input/output error}. */
    public String problem() {
        return problem;
    }

    private static String sentence(String device, String problem) {
        return PlainText.of("Device " + device + " could not be prepared: " + problem + ".");
    }
}
