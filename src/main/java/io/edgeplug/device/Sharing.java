package io.edgeplug.device;

/**
 * How many containers can have one device at a time.
 *
 * @param shares of each device; 1 if it is not shared
 * @param oneOnly whether a container that asks for several shares is refused, for they give it no more than one does
 */
public record Sharing(int shares, boolean oneOnly) {

    /** A device is one container's. */
    public static final Sharing NONE = new Sharing(1, false);

    /** More are of no use: so many containers do not fit on a node. */
    public static final int MAX_SHARES = 1000;

    public Sharing {
        if (shares < 1 || shares > MAX_SHARES) {
            throw new IllegalArgumentException("must be 1 to " + MAX_SHARES + ", not " + shares);
        }
    }

    /** Whether the kubelet sees shares of devices, and not devices. */
    public boolean isShared() {
        return shares > 1;
    }
}
