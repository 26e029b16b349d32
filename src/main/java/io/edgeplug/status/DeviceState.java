package io.edgeplug.status;

import java.util.Locale;

/** What a device is counted as; each device is one of these. */
public enum DeviceState {
    /** A container could have it. */
    FREE,
    /** A container has it. */
    HELD,
    /** It is being prepared for a container. */
    PREPARING,
    /** Nothing is wrong with it; a pod has it as a device of another resource, or it is not scrubbed yet after one. */
    WITHHELD,
    /** No container gets it; one may have it. */
    UNHEALTHY;

    /** As metrics and {@code edgeplug status} name it: {@code free}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
