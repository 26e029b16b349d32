package io.edgeplug.model.rules;

/**
 * A condition of a class for a device, and the device's value.
 *
 * @param wanted the condition in the words of the class, such as {@code pf_names ens1f0#0-3}
 * @param actual the value that the device has
 */
public record Requirement(String wanted, String actual, boolean isMet) {}
