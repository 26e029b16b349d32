package io.edgeplug.api.dra;

import java.util.Optional;

/**
 * The status of this node's slices.
 *
 * @param pool the name of the pool; empty until it is known
 * @param generation the pool's generation
 * @param slices the number of slices
 * @param devices the number of devices in the slices
 * @param problem why the API server does not have the wanted slices; empty if it has them
 */
public record SliceStatus(String pool, long generation, int slices, int devices, Optional<String> problem) {

    /** The status before the kubelet has accepted the driver. */
    static final SliceStatus UNWANTED =
            new SliceStatus("", 0, 0, 0, Optional.of("the kubelet has not taken up the driver yet"));

    SliceStatus withProblem(String text) {
        return new SliceStatus(pool, generation, slices, devices, Optional.of(text));
    }
}
