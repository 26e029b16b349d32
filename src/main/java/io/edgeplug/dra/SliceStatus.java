package io.edgeplug.dra;

import java.util.Optional;

/**
 * How things stand with this node's slices.
 *
 * @param pool empty until it is known
 * @param generation the pool's
 * @param slices how many there are
 * @param devices how many are in them
 * @param problem why the API server does not have them as they should be; empty if it has
 */
public record SliceStatus(String pool, long generation, int slices, int devices, Optional<String> problem) {

    /** Before the kubelet has taken up the driver. */
    static final SliceStatus UNWANTED =
            new SliceStatus("", 0, 0, 0, Optional.of("the kubelet has not taken up the driver yet"));

    SliceStatus withProblem(String text) {
        return new SliceStatus(pool, generation, slices, devices, Optional.of(text));
    }
}
