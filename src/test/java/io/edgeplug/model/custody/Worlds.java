package io.edgeplug.model.custody;

import io.edgeplug.model.custody.Scenario.Mishap;
import io.edgeplug.model.custody.Scenario.Offer;
import io.edgeplug.model.custody.Scenario.Want;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Bounded worlds that together have everything that may happen to a device. */
final class Worlds {

    private static final Map<String, Integer> ONE = Map.of("A", 0);
    private static final Map<String, Integer> GROUP = Map.of("A", 7, "B", 7);
    private static final Offer VFIO = Offer.of("vfio", "A", "B").vfio().scrubbed();
    private static final Offer FACE = Offer.of("face", "A", "B");
    private static final Offer CLAIMED =
            Offer.of("claimed", "B").vfio().scrubbed().claimed();
    private static final Offer NIC = Offer.of("nic", "A").scrubbed();
    private static final Offer NIC_FACE = Offer.of("face", "A");
    private static final Offer DRIVEN = Offer.of("driven", "A").prepared();

    private Worlds() {}

    /** Two devices in a group, two faces of the device plugin, and a claim for one of them. */
    static Scenario group() {
        return new Scenario(
                GROUP,
                List.of(List.of(VFIO, FACE, CLAIMED)),
                List.of(
                        Want.of("P", "vfio", "A", "B"),
                        Want.of("P", "vfio", "A"),
                        Want.of("Q", "vfio", "A"),
                        Want.of("Q", "face", "A"),
                        Want.of("C", "claimed", "B")),
                2,
                Set.of(),
                0);
    }

    /** A group, and a crash at any step. */
    static Scenario groupWithCrash() {
        return new Scenario(
                GROUP,
                List.of(List.of(VFIO, CLAIMED)),
                List.of(Want.of("P", "vfio", "A"), Want.of("Q", "vfio", "A"), Want.of("C", "claimed", "B")),
                2,
                Set.of(Mishap.CRASH),
                1);
    }

    /** A group of devices that are not scrubbed, one of which is pulled, or whose users cannot be read for a while. */
    static Scenario plainGroup() {
        return new Scenario(
                GROUP,
                List.of(List.of(
                        Offer.of("vfio", "A", "B").vfio(),
                        Offer.of("claimed", "B").vfio().claimed())),
                List.of(
                        Want.of("P", "vfio", "A"),
                        Want.of("Q", "vfio", "A"),
                        Want.of("Q", "vfio", "B"),
                        Want.of("C", "claimed", "B")),
                2,
                EnumSet.of(Mishap.PULL, Mishap.UNREADABLE),
                1);
    }

    /** A group whose devices get their drivers late after a boot, with scrubs and without. */
    static Scenario lateDrivers() {
        return new Scenario(
                GROUP,
                List.of(List.of(
                        VFIO,
                        Offer.of("claimed", "B").vfio().claimed(),
                        Offer.of("plain", "A", "B").vfio())),
                List.of(
                        Want.of("P", "vfio", "A"),
                        Want.of("P", "plain", "A"),
                        Want.of("Q", "plain", "B"),
                        Want.of("C", "claimed", "B")),
                2,
                Set.of(Mishap.LATE_DRIVERS),
                1);
    }

    /** The kubelet's notes cannot be read, also when the daemon begins. */
    static Scenario unreadable() {
        return new Scenario(
                Map.of("A", 0, "B", 0),
                List.of(List.of(Offer.of("nic", "A", "B").scrubbed())),
                List.of(Want.of("P", "nic", "A"), Want.of("P", "nic", "A", "B"), Want.of("Q", "nic", "A")),
                2,
                EnumSet.of(Mishap.BLIND_CRASH, Mishap.UNREADABLE),
                2);
    }

    /** A device with two shares, and a reload after which it has none. */
    static Scenario shares() {
        return new Scenario(
                Map.of("X", 0),
                List.of(List.of(Offer.of("share", "X").shared(2)), List.of(Offer.of("share", "X"))),
                List.of(
                        Want.of("P", "share", "X::0"),
                        Want.of("P", "share", "X"),
                        Want.of("Q", "share", "X::0"),
                        Want.of("Q", "share", "X::1"),
                        Want.of("Q", "share", "X")),
                2,
                EnumSet.of(Mishap.CRASH, Mishap.RELOAD, Mishap.PULL),
                2);
    }

    /** Shares of a device that is scrubbed, for pods that may never start. */
    static Scenario scrubbedShares() {
        return new Scenario(
                Map.of("X", 0),
                List.of(List.of(Offer.of("share", "X").shared(2).scrubbed())),
                List.of(Want.of("P", "share", "X::0"), Want.of("Q", "share", "X::1"), Want.of("R", "share", "X::0")),
                3,
                Set.of(Mishap.CRASH),
                1);
    }

    /** A function, and two parts of it. */
    static Scenario parts() {
        return new Scenario(
                Map.of("F", 0, "F-1", 0, "F-2", 0),
                List.of(List.of(Offer.of("function", "F").scrubbed(), Offer.of("part", "F-1", "F-2"))),
                List.of(
                        Want.of("P", "function", "F"),
                        Want.of("P", "part", "F-1"),
                        Want.of("Q", "function", "F"),
                        Want.of("Q", "part", "F-2")),
                2,
                Set.of(Mishap.CRASH),
                1);
    }

    /** A PF that is scrubbed, and a VF of it that pods may have meanwhile. */
    static Scenario virtualFunction() {
        return new Scenario(
                Map.of("F", 0, "F.1", 0),
                List.of(List.of(Offer.of("function", "F").scrubbed(), Offer.of("vf", "F.1"))),
                List.of(Want.of("P", "function", "F"), Want.of("Q", "function", "F"), Want.of("Q", "vf", "F.1")),
                2,
                Set.of(Mishap.CRASH),
                1);
    }

    /** Starts of which a restarted kubelet does not tell, and work that fails. */
    static Scenario unseen() {
        return new Scenario(
                ONE,
                List.of(List.of(
                        NIC.prepared(), Offer.of("claimed", "A").scrubbed().claimed())),
                List.of(Want.of("P", "nic", "A"), Want.of("Q", "nic", "A"), Want.of("C", "claimed", "A")),
                2,
                EnumSet.of(Mishap.UNSEEN_START, Mishap.CRASH, Mishap.SCRUB_FAILS, Mishap.PREPARATION_FAILS),
                2);
    }

    /** A start of which a restarted kubelet does not tell, while a scrub has failed, and the pod after it. */
    static Scenario unseenAfterScrub() {
        return new Scenario(
                ONE,
                List.of(List.of(NIC)),
                List.of(Want.of("P", "nic", "A"), Want.of("Q", "nic", "A"), Want.of("R", "nic", "A")),
                3,
                EnumSet.of(Mishap.UNSEEN_START, Mishap.SCRUB_FAILS),
                2);
    }

    /** A recipe binds a driver, for a class that a reload removes, and the device returns to its host driver. */
    static Scenario hostDriver() {
        return new Scenario(
                ONE,
                List.of(List.of(DRIVEN, Offer.of("claimed", "A").prepared().claimed()), List.of()),
                List.of(Want.of("P", "driven", "A"), Want.of("Q", "driven", "A"), Want.of("C", "claimed", "A")),
                2,
                EnumSet.of(Mishap.PREPARATION_FAILS, Mishap.CRASH, Mishap.RELOAD, Mishap.PULL),
                2);
    }

    /** A reload renames one class and removes another. */
    static Scenario reload() {
        return new Scenario(
                ONE,
                List.of(List.of(NIC, NIC_FACE), List.of(Offer.of("renamed", "A").scrubbed())),
                List.of(
                        Want.of("P", "nic", "A"),
                        Want.of("Q", "nic", "A"),
                        Want.of("Q", "face", "A"),
                        Want.of("Q", "renamed", "A")),
                2,
                EnumSet.of(Mishap.RELOAD, Mishap.CRASH),
                2);
    }

    /** Another card comes into the place of one. */
    static Scenario replug() {
        return new Scenario(
                ONE,
                List.of(List.of(NIC.prepared(), NIC_FACE)),
                List.of(Want.of("P", "nic", "A"), Want.of("Q", "nic", "A"), Want.of("Q", "face", "A")),
                2,
                EnumSet.of(Mishap.REPLUG, Mishap.PULL, Mishap.CRASH),
                2);
    }

    /** A kubelet that forgets a pod, or names a device that a pod was not given. */
    static Scenario lies() {
        return new Scenario(
                GROUP,
                List.of(List.of(VFIO, Offer.of("claimed", "B").vfio().claimed())),
                List.of(Want.of("P", "vfio", "A"), Want.of("Q", "vfio", "A"), Want.of("C", "claimed", "B")),
                2,
                EnumSet.of(Mishap.FORGETS, Mishap.MISNAMES),
                1);
    }

    /** A static pod, which comes back with its old UID. */
    static Scenario staticPod() {
        return new Scenario(
                ONE,
                List.of(List.of(NIC, NIC_FACE)),
                List.of(Want.of("static", "nic", "A"), Want.of("static", "face", "A"), Want.of("Q", "nic", "A")),
                3,
                EnumSet.of(Mishap.SCRUB_FAILS, Mishap.CRASH),
                1);
    }

    /** Nearly everything at a time. */
    static Scenario large() {
        return new Scenario(
                Map.of("A", 7, "B", 7, "X", 0),
                List.of(List.of(VFIO, FACE, CLAIMED, Offer.of("share", "X").shared(2)), List.of(VFIO, CLAIMED)),
                List.of(
                        Want.of("P", "vfio", "A", "B"),
                        Want.of("P", "vfio", "A"),
                        Want.of("P", "share", "X::0"),
                        Want.of("Q", "vfio", "A"),
                        Want.of("Q", "face", "A"),
                        Want.of("Q", "share", "X::1"),
                        Want.of("C", "claimed", "B")),
                2,
                EnumSet.of(Mishap.CRASH, Mishap.SCRUB_FAILS, Mishap.PULL, Mishap.RELOAD, Mishap.UNSEEN_START),
                1);
    }
}
