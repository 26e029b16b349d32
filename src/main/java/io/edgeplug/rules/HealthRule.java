package io.edgeplug.rules;

import io.edgeplug.linux.ProgramLimits;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What a class asks of the health of its devices, beyond that they answer at all.
 *
 * @param command a program and its arguments, which fails for a device that is not fit; none if empty
 * @param commandTimeout how long the program may take before that is its failure
 * @param commandEvery how long after it ended it runs again
 * @param limits what the program may use
 * @param unhealthyFor how long something must be wrong before it is told
 * @param healthyFor how long nothing must be wrong before that is told
 */
public record HealthRule(
        Set<HealthCheck> checks,
        List<String> command,
        Duration commandTimeout,
        Duration commandEvery,
        ProgramLimits limits,
        Duration unhealthyFor,
        Duration healthyFor) {

    /** Nothing is asked. */
    public static final HealthRule NONE = new HealthRule(
            Set.of(),
            List.of(),
            Duration.ofSeconds(5),
            Duration.ofSeconds(60),
            ProgramLimits.NONE,
            Duration.ZERO,
            Duration.ZERO);

    public HealthRule {
        checks = checks.isEmpty() ? Set.of() : Set.copyOf(EnumSet.copyOf(checks));
        command = List.copyOf(command);
    }

    /** The same without its program. */
    HealthRule withoutCommand() {
        return new HealthRule(checks, List.of(), commandTimeout, commandEvery, limits, unhealthyFor, healthyFor);
    }

    /** Whether there is anything to look at, or to wait for. */
    public boolean asks() {
        return !checks.isEmpty() || !command.isEmpty() || !unhealthyFor.isZero() || !healthyFor.isZero();
    }
}
