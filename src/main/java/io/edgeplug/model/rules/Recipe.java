package io.edgeplug.model.rules;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The steps that prepare a device for each container that gets it.
 *
 * @param steps in their order; none if devices are handed over as they are
 * @param timeout how long the start of a container waits for the steps; slower steps go on
 * @param kept functions that the node uses itself, which no step resets or binds to another driver
 */
public record Recipe(List<Step> steps, Duration timeout, KeptFunctions kept) {

    /** The kubelet waits for 30 seconds, of which the rest is for the way there and back. */
    public static final Duration USUAL_TIMEOUT = Duration.ofSeconds(25);

    public static final Recipe NONE = new Recipe(List.of(), USUAL_TIMEOUT);

    public Recipe {
        steps = List.copyOf(steps);
    }

    /** A recipe for functions of which the administrator says nothing. */
    public Recipe(List<Step> steps, Duration timeout) {
        this(steps, timeout, KeptFunctions.NONE);
    }

    public boolean isEmpty() {
        return steps.isEmpty();
    }

    /** Whether a step changes the function for the node too, see {@link Step#changesFunction}. */
    public boolean changesFunction() {
        return steps.stream().anyMatch(Step::changesFunction);
    }

    /** What is done with the network interface of a device; empty if it stays on the node. */
    public Optional<Step.Interface> movedInterface() {
        for (Step step : steps) {
            if (step instanceof Step.Interface moved) {
                return Optional.of(moved);
            }
        }
        return Optional.empty();
    }

    /** The same recipe with that step at its end. */
    public Recipe then(Step last) {
        return new Recipe(Stream.concat(steps.stream(), Stream.of(last)).toList(), timeout, kept);
    }

    /** Whether a step runs a program of the administrator or a vendor. */
    public boolean runsPrograms() {
        return steps.stream()
                .anyMatch(step -> step instanceof Step.Command
                        || (step instanceof Step.Program program
                                && program.tool().isPresent()));
    }

    /** Whether a step programs an FPGA, which takes seconds and may fail. */
    public boolean programs() {
        return steps.stream().anyMatch(Step.Program.class::isInstance);
    }

    /** The same recipe with a claim's choices, where the recipe itself has the setting. */
    public Recipe with(ClaimChoice choice) {
        return new Recipe(steps.stream().map(choice::in).toList(), timeout, kept);
    }

    /** The same recipe after these settings of a VF, which its own steps may change again. */
    public Recipe after(Step.Vf first) {
        return first.isEmpty()
                ? this
                : new Recipe(Stream.concat(Stream.of(first), steps.stream()).toList(), timeout, kept);
    }

    /** The settings of the VF that the recipe makes on the PF. */
    public Step.Vf vf() {
        return steps.stream()
                .flatMap(step -> step instanceof Step.Vf vf ? Stream.of(vf) : Stream.empty())
                .reduce(Step.Vf.NONE, (before, last) -> last);
    }

    /** The driver that a device has at the end, if the recipe binds one. */
    public Optional<String> driver() {
        return steps.stream()
                .flatMap(step -> step instanceof Step.Driver driver ? Stream.of(driver.name()) : Stream.empty())
                .reduce((before, last) -> last);
    }
}
