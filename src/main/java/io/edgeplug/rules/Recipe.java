package io.edgeplug.rules;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What is done to a device before each container that gets it.
 *
 * @param steps in their order; none where devices are handed over as they are
 * @param timeout how long a container's start waits for it; what takes longer goes on
 */
public record Recipe(List<Step> steps, Duration timeout) {

    /** What the kubelet leaves of its 30 seconds for the way there and back. */
    public static final Duration USUAL_TIMEOUT = Duration.ofSeconds(25);

    /** Nothing is done. */
    public static final Recipe NONE = new Recipe(List.of(), USUAL_TIMEOUT);

    public Recipe {
        steps = List.copyOf(steps);
    }

    /** Whether devices are handed over as they are. */
    public boolean isEmpty() {
        return steps.isEmpty();
    }

    /** Whether the administrator's or a vendor's programs are part of it. */
    public boolean runsPrograms() {
        return steps.stream()
                .anyMatch(step -> step instanceof Step.Command
                        || (step instanceof Step.Program program
                                && program.tool().isPresent()));
    }

    /** The same with what a claim has chosen, where it says that itself. */
    public Recipe with(ClaimChoice choice) {
        return new Recipe(steps.stream().map(choice::in).toList(), timeout);
    }

    /** The same after these settings of a VF, which its own steps may change again. */
    public Recipe after(Step.Vf first) {
        return first.isEmpty()
                ? this
                : new Recipe(Stream.concat(Stream.of(first), steps.stream()).toList(), timeout);
    }

    /** What it says of a VF to the PF. */
    public Step.Vf vf() {
        return steps.stream()
                .flatMap(step -> step instanceof Step.Vf vf ? Stream.of(vf) : Stream.empty())
                .reduce(Step.Vf.NONE, (before, last) -> last);
    }

    /** The driver that a device has in the end, if the recipe binds one. */
    public Optional<String> driver() {
        return steps.stream()
                .flatMap(step -> step instanceof Step.Driver driver ? Stream.of(driver.name()) : Stream.empty())
                .reduce((before, last) -> last);
    }
}
