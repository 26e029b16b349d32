package io.edgeplug.model.rules;

/** The way in which nodes and mounts reach a container. */
public enum HandOver {
    /** The kubelet gets each of them. */
    DEVICE_NODES,
    /** The kubelet gets a name, by which the container runtime finds them in a CDI specification. */
    CDI
}
