package io.edgeplug.api.kubelet;

import io.edgeplug.system.flow.Deadline;
import java.util.Optional;

/** How far the registration of one served socket is. Only {@link Registration} changes it. */
sealed interface RegistrationState {

    String HUNG_UP = "the kubelet has hung up";

    /** No kubelet knows the socket. */
    record Served() implements RegistrationState {}

    /**
     * A kubelet was asked, or has found the socket, and has neither accepted it nor read its list.
     *
     * @param until when it should have done both; empty if it may take as long as it likes
     */
    record Asked(Optional<Deadline> until) implements RegistrationState {}

    /** The kubelet has accepted it, which alone does not show that it reads. */
    record Accepted(Optional<Deadline> until) implements RegistrationState {}

    /** A first list of that many devices was sent to the kubelet, which has not accepted it yet. */
    record Listed(Optional<Deadline> until, int devices) implements RegistrationState {}

    /** The kubelet has accepted it, and a first list of that many devices was sent. */
    record Registered(int devices) implements RegistrationState {}

    /** The kubelet has refused it, or the call to register has failed. */
    record Refused(Kind kind, String reason) implements RegistrationState {

        /** What a refusal says about the next try. */
        enum Kind {
            /** The kubelet does not know this version of the API. */
            UNSUPPORTED,
            /** There was no connection, as far as gRPC reports it. */
            DISCONNECTED,
            OTHER
        }
    }

    /**
     * The kubelet has ended its stream.
     *
     * @param isAnswered whether it had accepted the socket
     * @param kubelet its process if it finds sockets by itself, because then the next kubelet finds the socket too
     * @param until for how long it is not known whether it dies: a dying process closes its connections first
     */
    record HungUp(boolean isAnswered, Optional<ProcessHandle> kubelet, Optional<Deadline> until)
            implements RegistrationState {

        private Optional<String> reason() {
            if (kubelet.isEmpty()) {
                return Optional.of(HUNG_UP);
            }
            boolean isGone = !isOver() || !kubelet.orElseThrow().isAlive();
            return isGone
                    ? Optional.empty()
                    : Optional.of("the kubelet goes on without it, so it is served on a new socket");
        }
    }

    /** When a state ends by itself; empty if it stays. */
    default Optional<Deadline> until() {
        return Optional.empty();
    }

    /** Why the registration has failed or ended; empty while it stands or may succeed. */
    default Optional<String> problem() {
        return switch (this) {
            case Asked asked -> late("the kubelet does not answer");
            case Listed listed -> late("the kubelet does not answer");
            case Accepted accepted -> late("the kubelet said OK and has not asked for the devices");
            case Refused refused -> Optional.of("cannot register: " + refused.reason());
            case HungUp hungUp -> hungUp.reason();
            case Served served -> Optional.empty();
            case Registered registered -> Optional.empty();
        };
    }

    private Optional<String> late(String reason) {
        return isOver() ? Optional.of("cannot register: " + reason) : Optional.empty();
    }

    default boolean isOver() {
        return until().filter(Deadline::isOver).isPresent();
    }
}
