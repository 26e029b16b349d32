package io.edgeplug.rules;

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

    /**
     * So many shares may be listed, of all resources of a node: more than any node runs containers, and each takes a
     * file, and half a kilobyte of the daemon's heap.
     */
    public static final int MAX_LISTED = 8192;

    public Sharing {
        if (shares < 1 || shares > MAX_SHARES) {
            throw new IllegalArgumentException("must be 1 to " + MAX_SHARES + ", not " + shares);
        }
    }

    /**
     * How many shares of each device are listed: fewer than the class says where those of all classes are too many.
     *
     * @param devices of all classes that share theirs
     * @param all the shares that those classes say of these devices
     */
    public int listed(int devices, long all) {
        return all <= MAX_LISTED ? shares : Math.min(shares, Math.max(1, MAX_LISTED / devices));
    }

    /** Whether the kubelet sees shares of devices, and not devices. */
    public boolean isShared() {
        return shares > 1;
    }
}
