package io.edgeplug.inventory;

/** A device that was asked for cannot be given; the message is a sentence for {@code kubectl describe pod}. */
public final class DeviceUnavailableException extends Exception {

    private static final long serialVersionUID = 1;

    DeviceUnavailableException(String sentence) {
        super(sentence);
    }
}
