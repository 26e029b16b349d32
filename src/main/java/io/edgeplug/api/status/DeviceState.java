package io.edgeplug.api.status;

import java.util.Locale;

/** The state in which a device is counted; each device has exactly one. */
public enum DeviceState {
    /** A container could have it. */
    FREE,
    /** A container may have it, because the notes of holders cannot be read. */
    UNKNOWN,
    /** A container has it. */
    HELD,
    /** It is being prepared for a container. */
    PREPARING,
    /** The device is fine, but a pod has it as a device of another resource, or it is not scrubbed yet. */
    WITHHELD,
    /** No container can get it; one may have it. */
    UNHEALTHY;

    /** The name in metrics and {@code edgeplug status}, such as {@code free}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
