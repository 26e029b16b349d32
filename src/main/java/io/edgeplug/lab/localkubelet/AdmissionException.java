package io.edgeplug.lab.localkubelet;

/**
 * The kubelet refuses a pod for good. The message is the one that {@code kubectl describe pod} shows beside the reason
 * (GetPodAdmitResult in pkg/kubelet/cm/admission/errors.go).
 */
public final class AdmissionException extends Exception {

    private static final long serialVersionUID = 1;

    private final String reason;

    private AdmissionException(String reason, String message) {
        super(message);
        this.reason = reason;
    }

    static AdmissionException unexpected(String cause) {
        return new AdmissionException(
                "UnexpectedAdmissionError", "Allocate failed due to " + cause + ", which is unexpected");
    }

    static AdmissionException topology() {
        return new AdmissionException("TopologyAffinityError", "Resources cannot be allocated with Topology locality");
    }

    /** The pod's status.reason: UnexpectedAdmissionError or TopologyAffinityError. */
    public String reason() {
        return reason;
    }
}
