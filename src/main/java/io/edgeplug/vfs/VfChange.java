package io.edgeplug.vfs;

import io.edgeplug.rules.Step;
import java.util.Optional;

/**
 * The changes to one VF.
 *
 * @param boundTo the driver that has it now
 * @param settings that its PF must set
 * @param guid that it gets; empty if it keeps its own
 * @param isRebound whether it is unbound meanwhile, and bound at the end
 */
record VfChange(int index, Optional<String> boundTo, Step.Vf settings, Optional<String> guid, boolean isRebound) {

    boolean isNothing() {
        return settings.isEmpty() && guid.isEmpty() && !isRebound;
    }
}
