package io.edgeplug.localkubelet;

/**
 * The kubelet refuses a pod for good. Its message is the one that {@code kubectl describe pod} shows beside
 * UnexpectedAdmissionError (GetPodAdmitResult in pkg/kubelet/cm/admission/errors.go).
 */
public final class AdmissionException extends Exception {

    private static final long serialVersionUID = 1;

    AdmissionException(String reason) {
        super("Allocate failed due to " + reason + ", which is unexpected");
    }
}
