package io.edgeplug.inventory;

import io.edgeplug.device.ResourceName;

/** A device that was asked for cannot be given; the message is a sentence for {@code kubectl describe pod}. */
public final class DeviceUnavailableException extends Exception {

    private static final long serialVersionUID = 1;

    private DeviceUnavailableException(String sentence) {
        super(sentence);
    }

    /** Nothing was asked for. */
    public static DeviceUnavailableException none(ResourceName resource) {
        return new DeviceUnavailableException("No device of " + resource + " was asked for.");
    }

    /** No device of the resource has that ID. */
    public static DeviceUnavailableException notHere(ResourceName resource, String id) {
        return new DeviceUnavailableException("Device " + cut(id) + " of " + resource + " is not on this node.");
    }

    /** One ID was asked for twice. */
    public static DeviceUnavailableException twice(ResourceName resource, String id) {
        return new DeviceUnavailableException("Device " + cut(id) + " of " + resource + " was asked for twice.");
    }

    /** A container asked for several shares, and its class forbids that. */
    public static DeviceUnavailableException moreThanOneShare(ResourceName resource, int number) {
        return new DeviceUnavailableException("A container may ask for one of " + resource + " and asked for " + number
                + ": its devices are shared, and more shares give it nothing more.");
    }

    /** A device is not fit, or cannot be handed over. */
    public static DeviceUnavailableException unhealthy(ResourceName resource, String id, String problem) {
        return new DeviceUnavailableException("Device " + id + " of " + resource + " is unhealthy: " + problem + ".");
    }

    /** What nobody would call a device is cut short, for the header that carries it has little room. */
    private static String cut(String id) {
        return id.isEmpty() ? "\"\"" : id.length() > Matching.MAX_ID ? id.substring(0, Matching.MAX_ID) + "…" : id;
    }
}
