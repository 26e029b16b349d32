package io.edgeplug.model.custody;

import static io.edgeplug.model.custody.Truth.must;

import io.edgeplug.model.custody.World.Knowledge;
import io.edgeplug.model.custody.World.Life;
import io.edgeplug.model.custody.World.Stage;
import io.edgeplug.model.device.Shares;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What is true in every state of a world. */
final class Invariants {

    private final Daemon daemon;
    private final Truth truth;
    private final Map<Object, Object> parts;

    /** What a new daemon finds, as far as that was checked. */
    private final Set<World> boots = new HashSet<>();

    Invariants(Scenario scenario, Daemon daemon, Map<Object, Object> parts) {
        this.parts = parts;
        this.daemon = daemon;
        this.truth = new Truth(scenario);
    }

    void check(World world) {
        world.records.values().forEach(custody -> checkHolds(world, custody));
        checkLives(world);
        checkOffers(world);
        checkStarts(world);
        world.records.values().forEach(custody -> checkIsOwed(world, custody));
        checkBoot(world);
    }

    /** A device and its share are never held at a time, nor are two faces of a device. */
    private static void checkHolds(World world, Custody custody) {
        Set<String> ids = custody.holds().keySet();
        must(!ids.contains(custody.id()) || ids.size() == 1, () -> "held as a whole and in part: " + custody);
        must(
                custody.holds().values().stream().map(Hold::resource).distinct().count() < 2,
                () -> "held as several faces: " + custody);
        boolean isKnown = custody.device().isPresent();
        must(!isKnown || !ids.isEmpty(), () -> "listed for nobody if it were pulled: " + custody);
        must(
                isKnown || ids.isEmpty() || !world.place(custody.id()).isHere(),
                () -> "not listed if it were pulled: " + custody);
    }

    /** An ID, a device and a group have one user that is about to start or runs. */
    private void checkLives(World world) {
        List<String> users = world.lives.entrySet().stream()
                .filter(entry -> isGoingOn(entry.getValue()))
                .map(Map.Entry::getKey)
                .toList();
        for (String one : users) {
            users.stream()
                    .filter(other -> one.compareTo(other) < 0)
                    .forEach(other -> truth.checkApart(world.life(one), world.life(other)));
        }
    }

    private static boolean isGoingOn(Life life) {
        return life.stage() != Stage.NONE && life.stage() != Stage.ENDING && life.stage() != Stage.ENDED;
    }

    /** A device with traces is offered only while its user has it. */
    private void checkOffers(World world) {
        for (String offered : daemon.door.list(world)) {
            String device = Shares.whole(offered.split(" ", -1)[0]);
            Set<String> known = new TreeSet<>(world.place(device).traces());
            known.removeIf(user -> world.life(user).isUnseen());
            must(
                    known.isEmpty() || !world.custody(device).holds().isEmpty(),
                    () -> offered + " is offered with traces of " + known);
        }
    }

    /** A start with a share waits for a scrub only while that is due or runs, or while others have the device who have started. */
    private void checkStarts(World world) {
        world.lives.forEach((user, life) -> life.ids().stream()
                .filter(id -> !id.equals(Shares.whole(id)))
                .map(Shares::whole)
                .filter(device ->
                        life.stage() == Stage.ASKED && world.place(device).isHere())
                .forEach(device -> checkStart(world, user, device)));
    }

    private void checkStart(World world, String user, String device) {
        World next = new World(world);
        daemon.look(next);
        Custody custody = next.custody(device);
        boolean isWaiting = next.place(device).work().isEmpty()
                && !next.scrubs.contains(device)
                && custody.traces().filter(left -> !left.users().contains(user)).isPresent()
                && custody.holds().values().stream()
                        .anyMatch(hold -> hold.user().uid().equals(user));
        // The end of a user who has started is learned later.
        boolean isUsed = custody.holds().values().stream()
                        .anyMatch(hold -> next.life(hold.user().uid()).hasStarted())
                || next.lives.values().stream()
                        .anyMatch(other -> other.hasProcesses()
                                && other.ids().stream().map(Shares::whole).anyMatch(device::equals));
        must(
                !isWaiting
                        || isUsed
                        || custody.holds().values().stream().anyMatch(Hold::isGrant)
                        || !(daemon.due(next, device, 0) instanceof Due.Nothing),
                () -> user + " waits for a scrub that is not due: " + custody);
    }

    /** A state that is neither offered nor running ends by a time, by a person, or by an event that somebody owes. */
    private void checkIsOwed(World world, Custody custody) {
        Optional<Work.Kind> work = world.place(custody.id()).work();
        boolean isOwed = world.scrubs.contains(custody.id()) || work.isPresent();
        must(custody.work().isEmpty() || isOwed, () -> "work without an end: " + custody);
        must(work.isEmpty() || work.equals(custody.work().map(Work::kind)), () -> "unknown work: " + custody);
        custody.holds().forEach((id, hold) -> checkHold(world, id, hold));
        custody.trouble()
                .map(Trouble::user)
                .filter(user -> !user.isEmpty())
                .ifPresent(user -> must(
                        custody.holds().values().stream()
                                .anyMatch(hold -> hold.user().uid().equals(user)),
                        () -> "a trouble outlives its user: " + custody));
        if (custody.isUsedUp() && world.place(custody.id()).isHere() && world.knowledge == Knowledge.READ) {
            must(
                    isOwed
                            || daemon.door.isKinHeld(world, custody.id())
                            || !(daemon.due(world, custody.id(), 0) instanceof Due.Nothing),
                    () -> "nothing is due: " + custody);
        }
    }

    /** Starts are counted as long as they wait, and an Allocate is told again. */
    private void checkHold(World world, String id, Hold hold) {
        Life life = world.life(hold.user().uid());
        boolean isWaiting = life.ids().contains(id) && (life.stage() == Stage.ASKED || life.stage() == Stage.PREPARING);
        must(hold.starts() == (isWaiting ? 1 : 0), () -> "starts that wait for " + id + ": " + hold);
        must(
                !(hold.user() instanceof User.Grant grant) || grant.pause().compareTo(User.Grant.FORGOTTEN) < 0,
                () -> "not told again: " + hold);
    }

    /** A new daemon knows all traces, claims and users. */
    private void checkBoot(World world) {
        World booted = new World(world);
        Devices.registered(booted);
        booted.records = booted.records.isEmpty() ? booted.records : new TreeMap<>();
        booted.ended = new TreeSet<>();
        booted.scrubs = new TreeSet<>();
        booted.listed = new TreeSet<>();
        booted = booted.sealed(parts);
        if (boots.add(booted)) {
            World next = new World(booted);
            daemon.boot(next, true);
            checkBooted(next);
        }
    }

    private void checkBooted(World booted) {
        booted.notes
                .keySet()
                .forEach(device -> must(
                        booted.custody(device).traces().isPresent(), () -> "a boot forgets the traces on " + device));
        booted.lives.forEach((user, life) -> {
            if (isGoingOn(life) && life.ids().stream().allMatch(id -> isKnown(booted, user, life, id))) {
                life.ids()
                        .forEach(id -> must(
                                Optional.ofNullable(booted.custody(Shares.whole(id))
                                                .holds()
                                                .get(id))
                                        .filter(hold -> hold.user().uid().equals(user))
                                        .isPresent(),
                                () -> "a boot forgets that " + user + " has " + id));
            }
        });
    }

    /** Whether the notes name that user only. The end of an earlier one may have to be learned again. */
    private boolean isKnown(World booted, String user, Life life, String id) {
        String device = Shares.whole(id);
        String key = id + " " + life.want().orElseThrow().resource();
        boolean isNoted = Scenario.isClaim(user)
                ? booted.claims.containsKey(user)
                : user.equals(booted.file.getOrDefault(key, ""));
        return isNoted
                && booted.place(device).isHere()
                && booted.file.entrySet().stream()
                        .noneMatch(entry -> entry.getKey().startsWith(device + " ")
                                && !entry.getValue().equals(user));
    }

    /** Everybody has ended: then all is offered, and nothing is noted on disk. */
    void checkRest(World world) {
        must(world.listed.equals(daemon.door.list(new World())), () -> "not all is offered in the end: " + world);
        must(
                List.of(world.notes, world.claims, world.records).stream().allMatch(Map::isEmpty)
                        && world.scrubs.isEmpty(),
                () -> "left in the end: " + world);
        must(
                world.places.values().stream().noneMatch(World.Place::isBound),
                () -> "not returned to its host driver: " + world);
    }
}
