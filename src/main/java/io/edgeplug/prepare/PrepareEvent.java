package io.edgeplug.prepare;

import io.edgeplug.device.Device;
import io.edgeplug.rules.Step;
import java.time.Duration;
import java.util.Optional;

/** What happens to a device that is prepared, told on the thread that prepares it. */
public sealed interface PrepareEvent {

    /** The device is about to be changed. */
    record Begun(Device device) implements PrepareEvent {}

    /**
     * A step is done.
     *
     * @param note what it found or did that the step itself does not say; empty for most
     */
    record StepDone(Device device, Step step, String note, Duration took) implements PrepareEvent {}

    /** A program that a step runs has written a line. */
    record Output(Device device, String line) implements PrepareEvent {}

    /**
     * All is done.
     *
     * @param problem why the device is not prepared; empty if it is
     */
    record Ended(Device device, Optional<String> problem, Duration took) implements PrepareEvent {}

    /**
     * All is done that is to be done once nobody uses the device any more.
     *
     * @param problem why it is not as the next pod must find it; empty if it is
     */
    record Released(Device device, Optional<String> problem, Duration took) implements PrepareEvent {}

    /**
     * Nothing is done to the device any more, to which a recipe had given another driver.
     *
     * @param text what came of giving it back; empty if there was nothing to do
     */
    record DriverGivenBack(Device device, Optional<String> text) implements PrepareEvent {}

    /**
     * What a process that was killed had begun with a function was put back, or its file was to be deleted.
     *
     * @param what the function or the file
     * @param text what was done, or what kept it from being done
     */
    record Recovered(String what, String text) implements PrepareEvent {}
}
