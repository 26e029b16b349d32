package io.edgeplug.node.vfs;

import io.edgeplug.model.device.PciAddress;
import java.time.Duration;

/** An event while VFs are made. */
public sealed interface VfsEvent {

    /** The PF of the event. */
    PciAddress pf();

    /** A step is done. */
    record StepDone(PciAddress pf, VfsStep step, Duration took) implements VfsEvent {}

    /** A step takes unusually long. */
    record Waiting(PciAddress pf, VfsStep step, Duration since) implements VfsEvent {}
}
