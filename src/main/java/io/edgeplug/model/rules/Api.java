package io.edgeplug.model.rules;

/** The API by which Kubernetes gets the devices of a class. */
public enum Api {
    /** The kubelet counts them, and pods ask for a number of them. */
    DEVICE_PLUGIN,
    /** Dynamic Resource Allocation: the scheduler knows each of them, and pods claim some. */
    DRA
}
