package io.edgeplug.node.inventory;

import io.edgeplug.model.rules.HealthCheck;
import io.edgeplug.model.rules.HealthRule;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Rules of classes for the health of their devices, of one check each. */
final class HealthRules {

    private HealthRules() {}

    static HealthRule asking(HealthCheck check) {
        return damped(check, Duration.ZERO, Duration.ZERO);
    }

    static HealthRule damped(HealthCheck check, Duration unhealthyFor, Duration healthyFor) {
        HealthRule none = HealthRule.NONE;
        return new HealthRule(
                Set.of(check),
                List.of(),
                none.commandTimeout(),
                none.commandEvery(),
                none.limits(),
                unhealthyFor,
                healthyFor);
    }

    static HealthRule command(String script) {
        HealthRule none = HealthRule.NONE;
        return new HealthRule(
                Set.of(),
                List.of("/bin/sh", "-c", script),
                Duration.ofSeconds(20),
                Duration.ofHours(1),
                none.limits(),
                Duration.ZERO,
                Duration.ZERO);
    }
}
