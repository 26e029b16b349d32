package io.edgeplug.cli;

import io.edgeplug.prepare.PlannedStep;
import io.edgeplug.rules.Step;
import java.util.List;

/** What is done to a device before its container, a line for each step. */
final class PlanText {

    private PlanText() {}

    /** What would be done, whether or not it would succeed now. */
    static List<String> lines(List<PlannedStep> steps) {
        return steps.stream()
                .map(planned -> line(planned.step(), planned.text()))
                .toList();
    }

    static String line(Step step, String text) {
        return "  %-10s %s".formatted(step.word(), text);
    }
}
