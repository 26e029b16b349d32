package io.edgeplug.lab.localkubelet;

/**
 * The kubelet refuses a pod for good, with the status.reason UnexpectedAdmissionError. The message is the one that
 * {@code kubectl describe pod} shows beside it (GetPodAdmitResult in pkg/kubelet/cm/admission/errors.go).
 */
public final class AdmissionException extends Exception {

    private static final long serialVersionUID = 1;

    AdmissionException(String cause) {
        super("Allocate failed due to " + cause + ", which is unexpected");
    }
}
