package io.edgeplug.model.rules;

import java.util.Optional;

/**
 * An image for FPGAs that claims may choose.
 *
 * @param name by which they choose it
 * @param file an absolute path
 * @param sha256 of all its bytes, 64 lower-case hexadecimal digits
 * @param id what the FPGA says it is programmed with afterwards, 32 lower-case hexadecimal digits
 */
public record Image(String name, String file, String sha256, Optional<String> id) {}
