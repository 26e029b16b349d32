package io.edgeplug.model.custody;

import io.edgeplug.system.flow.Backoff;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Who has a device. */
public sealed interface User {

    /** The UID in the notes of the kubelet and of edgeplug; empty if it is not known yet. */
    String uid();

    /** For a person. */
    String name();

    /** Its pod, or one of the pods of a claim; empty for an Allocate, whose pod is not known yet. */
    default Optional<Pod> inPod() {
        return switch (this) {
            case Pod pod -> Optional.of(pod);
            case Claim claim -> Optional.of(claim.by());
            case Grant grant -> Optional.empty();
        };
    }

    /** Whether this is the same user, by whatever name. */
    default boolean is(User other) {
        return getClass() == other.getClass() && uid().equals(other.uid());
    }

    /**
     * A container of a pod that the kubelet has noted.
     *
     * @param uid of the pod
     * @param namespace of the pod, once the kubelet has told its name
     * @param pod its name, once the kubelet has told it
     * @param container one of those that have the device
     */
    record Pod(String uid, Optional<String> namespace, Optional<String> pod, String container) implements User {

        /** A pod whose name the kubelet has not told. */
        public static Pod unnamed(String uid, String container) {
            return new Pod(uid, Optional.empty(), Optional.empty(), container);
        }

        /** Whether the kubelet has told its name. */
        public boolean isNamed() {
            return pod.isPresent();
        }

        @Override
        public String name() {
            String told = pod.map(name -> namespace.orElse("") + "/" + name).orElse("pod " + uid);
            return container.isEmpty() ? told : told + " (" + container + ")";
        }
    }

    /**
     * A claim, which has its devices until its release, whichever pods use it.
     *
     * @param by one of its pods
     */
    record Claim(String uid, Pod by) implements User {

        @Override
        public String name() {
            return by.name();
        }
    }

    /**
     * An Allocate whose pod the kubelet has not noted yet.
     *
     * @param number of the Allocate
     * @param given when, by {@link System#nanoTime}
     * @param until by the steady clock: notes that were written up to this time may lack the pod
     * @param tellAt when to send the list again, after which the kubelet writes its notes; by {@link System#nanoTime}
     * @param pause until the list is sent once more after that
     */
    record Grant(long number, long given, Instant until, long tellAt, Duration pause) implements User {

        /** The kubelet notes a device right after Allocate. */
        public static final Duration NOTED = Duration.ofSeconds(5);

        /** A kubelet that fails a pod after Allocate may not write its notes for long, but no container starts later. */
        public static final Duration FORGOTTEN = Duration.ofMinutes(10);

        /** By how much the kernel's time of a file may be behind the clock. */
        private static final Duration TICK = Duration.ofMillis(20);

        private static final Duration FIRST_PAUSE = NOTED.multipliedBy(2);
        private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

        /** An Allocate of that moment. */
        public static Grant of(long number, long given, Instant clock) {
            return new Grant(number, given, clock.plus(NOTED), given + NOTED.toNanos(), FIRST_PAUSE);
        }

        /** The same after the list was sent again. */
        Grant toldAgain(long now) {
            return new Grant(number, given, until, now + pause.toNanos(), Backoff.doubled(pause, LONGEST_PAUSE));
        }

        /** Whether notes of that time cannot have its pod. */
        boolean isLaterThan(Instant written) {
            return written.isBefore(until.minus(NOTED).minus(TICK));
        }

        /** Whether the kubelet should have noted its pod, and the list is sent again if it has not. */
        boolean isDue(long now) {
            return now - tellAt >= 0;
        }

        boolean isForgotten(long now) {
            return now - given > FORGOTTEN.toNanos();
        }

        @Override
        public String uid() {
            return "";
        }

        @Override
        public String name() {
            return "a pod that has just been given it";
        }

        @Override
        public boolean is(User other) {
            return other instanceof Grant grant && grant.number() == number;
        }
    }
}
