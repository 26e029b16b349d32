package io.edgeplug.model.rules;

/**
 * How many containers can have one device at a time.
 *
 * @param shares of each device; 1 if it is not shared
 * @param oneOnly whether a container that asks for several shares is refused, because one share gives it as much
 */
public record Sharing(int shares, boolean oneOnly) {

    /** A device belongs to one container. */
    public static final Sharing NONE = new Sharing(1, false);

    /** A node does not run this many containers, so more shares are of no use. */
    public static final int MAX_SHARES = 1000;

    /**
     * How many shares all resources of a node may list. No node runs this many containers. Each share takes a file, and
     * half a kilobyte of the daemon's heap.
     */
    public static final int MAX_LISTED = 8192;

    public Sharing {
        if (shares < 1 || shares > MAX_SHARES) {
            throw new IllegalArgumentException("must be 1 to " + MAX_SHARES + ", not " + shares);
        }
    }

    /**
     * How many shares of each device are listed. These are fewer than the class says if the shares of all classes are
     * too many.
     *
     * @param devices of all classes that share theirs
     * @param all the shares of these devices by their classes
     */
    public int listed(int devices, long all) {
        return all <= MAX_LISTED ? shares : Math.min(shares, Math.max(1, MAX_LISTED / devices));
    }

    /** Whether the kubelet sees shares instead of devices. */
    public boolean isShared() {
        return shares > 1;
    }
}
