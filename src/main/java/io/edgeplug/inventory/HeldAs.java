package io.edgeplug.inventory;

/**
 * Who holds a device, and as what.
 *
 * @param pod its UID
 * @param resource of which the device was allocated, which may be another plugin's
 * @param name of the holder, for a person
 * @param isClaim whether the device was claimed, and not given by the device plugin
 */
public record HeldAs(String pod, String resource, String name, boolean isClaim) {}
