package io.edgeplug.model.rules;

import io.edgeplug.system.programs.ProgramLimits;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The conditions of a class for the health of its devices, beyond that they answer.
 *
 * @param command a program and its arguments, which fails for an unhealthy device; empty if there is none
 * @param commandTimeout how long the program may run; taking longer is a failure
 * @param commandEvery the time from its end to its next run
 * @param limits what the program may use
 * @param unhealthyFor how long a problem must last before the device is unhealthy
 * @param healthyFor how long there must be no problem before the device is healthy again
 */
public record HealthRule(
        Set<HealthCheck> checks,
        List<String> command,
        Duration commandTimeout,
        Duration commandEvery,
        ProgramLimits limits,
        Duration unhealthyFor,
        Duration healthyFor) {

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

    /** The same rule without its program. */
    HealthRule withoutCommand() {
        return new HealthRule(checks, List.of(), commandTimeout, commandEvery, limits, unhealthyFor, healthyFor);
    }

    /** Whether there is any condition or waiting time. */
    public boolean asks() {
        return !checks.isEmpty() || !command.isEmpty() || !unhealthyFor.isZero() || !healthyFor.isZero();
    }
}
