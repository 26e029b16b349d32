package io.edgeplug.rules;

/**
 * Something that a class asks of a device, and how the device stands to it.
 *
 * @param wanted as the class says it: {@code pf_names ens1f0#0-3}
 * @param actual what the device has there
 */
public record Requirement(String wanted, String actual, boolean isMet) {}
