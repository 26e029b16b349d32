package io.edgeplug.vfs;

import io.edgeplug.rules.Step;
import java.util.Optional;

/**
 * What is to become of one VF.
 *
 * @param boundTo the driver that has it now
 * @param settings those that its PF is to say anew
 * @param guid the one that it gets, if it gets another
 * @param isRebound whether it is without a driver meanwhile, and bound at the end
 */
record VfChange(int index, Optional<String> boundTo, Step.Vf settings, Optional<String> guid, boolean isRebound) {

    boolean isNothing() {
        return settings.isEmpty() && guid.isEmpty() && !isRebound;
    }
}
