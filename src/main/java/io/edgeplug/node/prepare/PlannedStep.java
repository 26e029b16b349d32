package io.edgeplug.node.prepare;

import io.edgeplug.model.rules.Step;
import java.util.Optional;

/**
 * The effect that a step would have on a device, found without running it.
 *
 * @param text for a person, such as {@code flr, without iavf, which is bound again}
 * @param problem why it would fail on the device as it is now; empty if it would not
 */
public record PlannedStep(Step step, String text, Optional<String> problem) {}
