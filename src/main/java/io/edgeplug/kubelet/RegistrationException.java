package io.edgeplug.kubelet;

/** The kubelet did not take the registration; the message is its reason. */
final class RegistrationException extends Exception {

    private static final long serialVersionUID = 1;

    RegistrationException(String reason) {
        super(reason);
    }
}
