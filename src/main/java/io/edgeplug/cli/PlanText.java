package io.edgeplug.cli;

import io.edgeplug.prepare.PlannedStep;
import io.edgeplug.rules.Step;
import java.util.List;

/** The steps before a container starts, as a line for each. */
final class PlanText {

    private PlanText() {}

    /** The steps, whether or not they would succeed now. */
    static List<String> lines(List<PlannedStep> steps) {
        return steps.stream()
                .map(planned -> line(planned.step(), planned.text()))
                .toList();
    }

    static String line(Step step, String text) {
        return "  %-10s %s".formatted(step.word(), text);
    }
}
