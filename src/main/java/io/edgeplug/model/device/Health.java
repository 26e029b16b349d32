package io.edgeplug.model.device;

import io.edgeplug.system.kernel.PlainText;
import java.util.Optional;

/**
 * Whether a container could use a device now.
 *
 * @param problem what is wrong, for a person, without the device's name: {@code read numa_node: Input/output error}
 * @param cause what sort of problem it is; {@link Cause#OWN} also if there is none
 */
public record Health(Optional<String> problem, Cause cause) {

    private static final int MAX_PROBLEM = 160;

    public static final Health HEALTHY = new Health(Optional.empty(), Cause.OWN);

    /** The device is gone, and a pod that holds it should be told. */
    public static final Health GONE = new Health(Optional.of("is gone, and a container may hold it"), Cause.GONE);

    /** What sort of problem a device has. */
    public enum Cause {
        /** Something is wrong with the device itself. */
        OWN,
        /** The device is no longer on the node, and is listed only because a pod may hold it. */
        GONE,
        /** The device is fine but kept from others, because of the pod that has it or had it. */
        WITHHELD,
        /** The device is fine, and a pod has a mate in its group, which only one container can have. */
        MATE_IN_USE,
        /** The last start with it went wrong, or its preparation takes too long. */
        START,
        /**
         * Its device nodes may lead to another device than its pod was given, or are those that a pod was given as another
         * device.
         */
        ANOTHER
    }

    /**
     * Unhealthy for this reason. The reason may quote a driver, so it is cut short and cleaned of control characters.
     */
    public static Health unhealthy(String problem) {
        return new Health(Optional.of(start(problem)), Cause.OWN);
    }

    public static Health startFailed(String problem) {
        return new Health(Optional.of(start(problem)), Cause.START);
    }

    public static Health withheld(String reason) {
        return new Health(Optional.of(start(reason)), Cause.WITHHELD);
    }

    public static Health mateInUse(String reason) {
        return new Health(Optional.of(start(reason)), Cause.MATE_IN_USE);
    }

    public static Health another(String reason) {
        return new Health(Optional.of(start(reason)), Cause.ANOTHER);
    }

    public boolean isGone() {
        return cause == Cause.GONE;
    }

    public boolean isWithheld() {
        return cause == Cause.WITHHELD;
    }

    /** Whether it follows from the users of devices alone, so that they are to be asked anew. */
    public boolean isOfUsers() {
        return cause == Cause.WITHHELD || cause == Cause.MATE_IN_USE;
    }

    /** Whether a container may find the device by its name, so that it gets the nodes of this device and no others. */
    public boolean isNamed() {
        return cause != Cause.GONE && cause != Cause.ANOTHER;
    }

    private static String start(String problem) {
        String start = problem.length() > MAX_PROBLEM ? problem.substring(0, MAX_PROBLEM) + "..." : problem;
        return PlainText.of(start);
    }

    /** Whether the device can be handed over now; false if it is withheld. */
    public boolean isHealthy() {
        return problem.isEmpty();
    }
}
