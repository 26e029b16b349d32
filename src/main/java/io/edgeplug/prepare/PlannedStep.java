package io.edgeplug.prepare;

import io.edgeplug.rules.Step;
import java.util.Optional;

/**
 * What a step would do to a device, found out without doing it.
 *
 * @param text for a person: {@code flr, without iavf, which is bound again}
 * @param problem why it would fail as the device is now; empty if nothing speaks against it
 */
public record PlannedStep(Step step, String text, Optional<String> problem) {}
