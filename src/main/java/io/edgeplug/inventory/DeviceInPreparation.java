package io.edgeplug.inventory;

import java.util.Optional;
import java.util.function.Consumer;

/** A device that stays frozen in the inventory until its preparation ends; any thread may call it. */
public final class DeviceInPreparation {

    private final Consumer<String> report;
    private final Consumer<Optional<String>> end;

    DeviceInPreparation(Consumer<String> report, Consumer<Optional<String>> end) {
        this.report = report;
        this.end = end;
    }

    /** Lists the device as unhealthy for this reason until its preparation ends. */
    public void report(String problem) {
        report.accept(problem);
    }

    /**
     * Ends the preparation, and has the device scanned again.
     *
     * @param problem keeps it unhealthy until it is prepared again or a uevent names it; empty if the preparation
     *     succeeded
     */
    public void end(Optional<String> problem) {
        end.accept(problem);
    }
}
