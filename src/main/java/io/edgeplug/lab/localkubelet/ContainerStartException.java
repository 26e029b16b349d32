package io.edgeplug.lab.localkubelet;

/**
 * A container was not started this time. A kubelet shows this as CreateContainerConfigError and tries again with
 * back-off (GetDeviceRunContainerOptions in manager.go).
 */
public final class ContainerStartException extends Exception {

    private static final long serialVersionUID = 1;

    ContainerStartException(String reason) {
        super(reason);
    }
}
