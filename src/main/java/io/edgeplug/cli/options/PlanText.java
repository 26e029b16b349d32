package io.edgeplug.cli.options;

import io.edgeplug.model.rules.Step;
import io.edgeplug.node.prepare.PlannedStep;
import java.util.List;

/** The steps before a container starts, as a line for each. */
public final class PlanText {

    private PlanText() {}

    /** The steps, whether or not they would succeed now. */
    public static List<String> lines(List<PlannedStep> steps) {
        return steps.stream()
                .map(planned -> line(planned.step(), planned.text()))
                .toList();
    }

    public static String line(Step step, String text) {
        return "  %-10s %s".formatted(step.word(), text);
    }
}
