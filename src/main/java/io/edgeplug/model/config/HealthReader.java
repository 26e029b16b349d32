package io.edgeplug.model.config;

import io.edgeplug.model.device.Kind;
import io.edgeplug.model.rules.HealthCheck;
import io.edgeplug.model.rules.HealthRule;
import io.edgeplug.system.programs.ProgramLimits;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes a rule of the {@code [class.health]} table of a class. */
final class HealthReader {

    private static final Duration LONGEST = Duration.ofDays(1);

    private HealthReader() {}

    /** Reads the rule, whose program has these limits. The rule is empty if there is no table or it has mistakes. */
    static HealthRule read(Table table, @Nullable Kind kind, ProgramLimits limits) {
        List<Table> tables = table.tables("health");
        if (tables.size() > 1) {
            table.mistake("health", "stands " + tables.size() + " times, but a class has one");
        }
        HealthRule rule = HealthRule.NONE;
        for (Table health : tables) {
            rule = rule(health, kind, limits);
        }
        return rule;
    }

    private static HealthRule rule(Table health, @Nullable Kind kind, ProgramLimits limits) {
        HealthRule none = HealthRule.NONE;
        Set<HealthCheck> checks = EnumSet.noneOf(HealthCheck.class);
        for (HealthCheck check : HealthCheck.values()) {
            health.string(check.word()).ifPresent(word -> {
                if (!word.equals(check.wanted())) {
                    health.mistake(check.word(), "must be \"" + check.wanted() + "\", not \"" + word + "\"");
                }
                checks.add(check);
            });
            if (kind != null && health.has(check.word()) && !check.concerns(kind)) {
                health.mistake(check.word(), "does not apply to kind " + kind.word());
            }
        }
        List<String> command = health.strings("command");
        if (!command.isEmpty() && !command.getFirst().startsWith("/")) {
            health.mistake("command", "must begin with the absolute path of a program");
        }
        return new HealthRule(
                checks,
                command,
                health.duration("command_timeout", Duration.ZERO, LONGEST).orElse(none.commandTimeout()),
                health.duration("command_every", Duration.ZERO, LONGEST).orElse(none.commandEvery()),
                limits,
                health.duration("unhealthy_for", Duration.ZERO, LONGEST).orElse(none.unhealthyFor()),
                health.duration("healthy_for", Duration.ZERO, LONGEST).orElse(none.healthyFor()));
    }
}
