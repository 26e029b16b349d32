package io.edgeplug.inventory;

/**
 * The holder of a device, and the resource as which the holder has it.
 *
 * @param pod its UID
 * @param resource of the allocation, which may be another plugin's
 * @param name of the holder, for a person
 * @param isClaim whether the device was claimed, and not given by the device plugin
 */
public record HeldAs(String pod, String resource, String name, boolean isClaim) {}
