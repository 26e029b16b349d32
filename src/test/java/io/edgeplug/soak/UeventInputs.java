package io.edgeplug.soak;

import io.edgeplug.system.udev.UeventSender;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Datagrams to udevd's group: sound ones, spoilt ones, and sound ones about what is not there. */
final class UeventInputs {

    private static final int BATCH = 2_000;
    private static final int AT_ONCE = 250;

    /** With names of at most seven letters, of which the kernel's filter is worked out here. */
    private static final List<String> SUBSYSTEMS = List.of("pci", "net", "misc", "drm", "uio", "vdpa", "dfl", "fpga");

    private static final List<String> ACTIONS =
            List.of("add", "remove", "change", "bind", "unbind", "move", "online", "", "x".repeat(500), "\u001b[2J");

    private UeventInputs() {}

    static List<Production> all() {
        return List.of(
                new Production("uevents", 340, UeventInputs::mixed),
                new Production("uevent-storm", 4, UeventInputs::storm));
    }

    /** A few at a time, each of which has room. */
    private static int mixed(Attack attack, Random random) throws Exception {
        for (int i = 0; i < BATCH; i++) {
            attack.uevents().send(one(random));
            if (i % AT_ONCE == AT_ONCE - 1) {
                attack.awaitHeard();
            }
        }
        return BATCH;
    }

    /** As many as the kernel takes, so that some find no room. */
    private static int storm(Attack attack, Random random) throws Exception {
        byte[] datagram = UeventSender.valid("change", Ground.devpath(any(random)), "pci");
        for (int i = 0; i < 10 * BATCH; i++) {
            attack.uevents().send(datagram);
        }
        attack.awaitHeard();
        return 10 * BATCH;
    }

    private static byte[] one(Random random) {
        String path = switch (random.nextInt(8)) {
            case 0 -> "/devices/" + "../".repeat(random.nextInt(1000)) + "etc";
            case 1 -> Ground.devpath(Hostile.text(random));
            case 2 -> Ground.devpath(any(random)) + "/net/" + Hostile.name(random);
            case 3 ->
                Ground.devpath(
                        "0000:%02x:%02x.%d".formatted(random.nextInt(256), random.nextInt(32), random.nextInt(8)));
            default -> Ground.devpath(any(random));
        };
        String cut = path.substring(0, Math.min(path.length(), UeventSender.MAX_BYTES / 8));
        byte[] sound = UeventSender.valid(
                ACTIONS.get(random.nextInt(ACTIONS.size())), cut, SUBSYSTEMS.get(random.nextInt(SUBSYSTEMS.size())));
        byte[] datagram = random.nextInt(3) == 0 ? Hostile.spoilt(sound, random) : sound;
        return Arrays.copyOf(datagram, Math.min(datagram.length, UeventSender.MAX_BYTES));
    }

    private static String any(Random random) {
        List<String> some = random.nextBoolean() ? Ground.FUZZED_VFS : Ground.MANY_VFS;
        return some.get(random.nextInt(some.size()));
    }
}
