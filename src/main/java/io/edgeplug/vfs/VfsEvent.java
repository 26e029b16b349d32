package io.edgeplug.vfs;

import io.edgeplug.device.PciAddress;
import java.time.Duration;

/** What happens while VFs are made. */
public sealed interface VfsEvent {

    /** The PF that it is about. */
    PciAddress pf();

    /** A step is done. */
    record StepDone(PciAddress pf, VfsStep step, Duration took) implements VfsEvent {}

    /** A step takes so long that somebody may wonder. */
    record Waiting(PciAddress pf, VfsStep step, Duration since) implements VfsEvent {}
}
