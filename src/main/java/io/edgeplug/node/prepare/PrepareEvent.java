package io.edgeplug.node.prepare;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.rules.Step;
import java.time.Duration;
import java.util.Optional;

/** An event of a device that is being prepared, reported on the thread that prepares it. */
public sealed interface PrepareEvent {

    /** Why a device is changed. */
    enum Purpose {
        /** A container starts with it. */
        START,
        /** Its last pod is gone. */
        RELEASE,
        /** Its function returns to the host driver. */
        RETURN
    }

    /** The device is about to be changed. */
    record Begun(Device device, Purpose purpose) implements PrepareEvent {}

    /**
     * A step is done.
     *
     * @param note a result or detail of the step; empty for most
     */
    record StepDone(Device device, Step step, String note, Duration took) implements PrepareEvent {}

    /** The program of a step has written a line. */
    record Output(Device device, String line) implements PrepareEvent {}

    /**
     * The preparation has ended.
     *
     * @param problem why the device is not prepared; empty if it is
     */
    record Ended(Device device, Optional<String> problem, Duration took) implements PrepareEvent {}

    /** The steps of a scrub are done. The note of the use is deleted once the listener returns. */
    record Restored(Device device) implements PrepareEvent {}

    /**
     * A scrub of a used device has ended.
     *
     * @param problem why it is not scrubbed; empty if it is
     */
    record Scrubbed(Device device, Optional<String> problem, Duration took) implements PrepareEvent {}

    /**
     * A function that a recipe had bound to another driver was left by its last holder.
     *
     * @param text the result of the return to the host driver; empty if there was nothing to do
     */
    record DriverGivenBack(Device device, Optional<String> text) implements PrepareEvent {}

    /**
     * The result for a function or file that a killed process had left half changed.
     *
     * @param what the function or the file
     * @param text what was done, or what prevented it
     */
    record Recovered(String what, String text) implements PrepareEvent {}
}
