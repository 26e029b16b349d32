package io.edgeplug.inventory;

import java.util.Optional;
import java.util.function.Consumer;

/** Keeps a device in the inventory as it is, until it is released; any thread. */
public final class Hold {

    private final Consumer<String> report;
    private final Consumer<Optional<String>> release;

    Hold(Consumer<String> report, Consumer<Optional<String>> release) {
        this.report = report;
        this.release = release;
    }

    /** Has the device listed as unhealthy for this reason, until it is released. */
    public void report(String problem) {
        report.accept(problem);
    }

    /**
     * Has the device looked at again.
     *
     * @param problem for which it stays unhealthy, until it is held again or a uevent names it; empty if all is well
     */
    public void release(Optional<String> problem) {
        release.accept(problem);
    }
}
