package io.edgeplug.inventory;

import java.util.Optional;
import java.util.function.Consumer;

/** A device that stays as it is in the inventory until its preparation ends; any thread. */
public final class DeviceInPreparation {

    private final Consumer<String> report;
    private final Consumer<Optional<String>> end;

    DeviceInPreparation(Consumer<String> report, Consumer<Optional<String>> end) {
        this.report = report;
        this.end = end;
    }

    /** Has the device listed as unhealthy for this reason, until its preparation ends. */
    public void report(String problem) {
        report.accept(problem);
    }

    /**
     * Ends the preparation, and has the device looked at again.
     *
     * @param problem for which it stays unhealthy, until it is prepared again or a uevent names it; empty if all is well
     */
    public void end(Optional<String> problem) {
        end.accept(problem);
    }
}
