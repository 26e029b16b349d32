package io.edgeplug.model.custody;

import io.edgeplug.model.custody.Scenario.Mishap;
import io.edgeplug.model.custody.Scenario.Offer;
import io.edgeplug.model.custody.Scenario.Want;
import io.edgeplug.model.custody.World.Life;
import io.edgeplug.model.custody.World.Place;
import io.edgeplug.model.custody.World.Stage;
import io.edgeplug.model.device.Shares;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The lives of pods and claims in a world. A claim counts as a pod that has its devices until its release. */
final class Lives {

    private final Scenario scenario;
    private final Daemon daemon;
    private final Truth truth;
    private final Set<String> users;

    Lives(Scenario scenario, Daemon daemon) {
        this.scenario = scenario;
        this.daemon = daemon;
        this.users = scenario.users();
        this.truth = new Truth(scenario);
    }

    void addTo(Turns turns) {
        turns.from.lives.forEach((user, life) -> {
            switch (life.stage()) {
                case GIVEN -> addGiven(turns, user, life);
                case ASKED -> addAsked(turns, user, life);
                case PREPARING -> addPreparing(turns, user, life);
                case RUNS -> addRunning(turns, user, life);
                case ENDING -> turns.may("the last process of " + user + " ends", next -> to(next, user, Stage.ENDED));
                case NONE, ENDED -> {
                    if (Scenario.isStatic(user) && turns.from.isWritten() && !turns.from.memory.containsValue(user)) {
                        turns.wishes(user + " is to come back", next -> next.lives = Copies.without(next.lives, user));
                    }
                }
            }
        });
        users.stream()
                .filter(user -> !Scenario.isClaim(user) && mayLearnEnd(turns.from, user))
                .forEach(user -> turns.may(
                        "the daemon learns the end of " + user, next -> next.ended = Copies.with(next.ended, user)));
        scenario.wants().stream().filter(want -> Scenario.isClaim(want.user())).forEach(want -> addClaim(turns, want));
    }

    private static boolean mayLearnEnd(World world, String user) {
        Stage stage = world.life(user).stage();
        return (stage == Stage.NONE || stage == Stage.ENDED)
                && world.file.containsValue(user)
                && !world.ended.contains(user);
    }

    private static void to(World world, String user, Stage stage) {
        world.put(user, world.life(user).at(stage));
    }

    private static Set<String> devices(Life life) {
        return life.ids().stream().map(Shares::whole).collect(Collectors.toCollection(TreeSet::new));
    }

    private Offer offer(Life life) {
        return scenario.offer(life.want().orElseThrow().resource());
    }

    private boolean isServed(World world, Life life) {
        return scenario.offer(world.configuration, offer(life).resource()).isPresent();
    }

    private void addGiven(Turns turns, String user, Life life) {
        boolean isClaim = Scenario.isClaim(user);
        if (isServed(turns.from, life) && (isClaim || turns.from.isWritten())) {
            turns.wishes(user + " asks for its start", next -> ask(next, user, life));
        }
        if (isClaim) {
            addRelease(turns, user);
            return;
        }
        if (turns.from.isWritten()) {
            turns.goesWrong(Mishap.UNSEEN_START, user + " starts unseen", next -> {
                next.put(user, new Life(Stage.RUNS, life.want(), true));
                truth.starts(next, user, false);
            });
        }
        turns.may(user + " ends before its start", next -> to(next, user, Stage.ENDED));
    }

    /** The daemon reads the kubelet's notes, and knows the starting pod by them. */
    private void ask(World world, String user, Life life) {
        daemon.read(world);
        if (isHeld(world, user, life)) {
            starting(world, user, life, 1);
            to(world, user, Stage.ASKED);
        }
    }

    private boolean isHeld(World world, String user, Life life) {
        return life.ids().stream().allMatch(id -> {
            Custody custody = world.custody(Shares.whole(id));
            Optional<Hold> own = Optional.ofNullable(custody.holds().get(id));
            return own.filter(hold -> hold.user().uid().equals(user)).isPresent()
                    && custody.holds().values().stream()
                            .allMatch(hold -> hold.resource().equals(offer(life).resource()));
        });
    }

    private void starting(World world, String user, Life life, int more) {
        devices(life).forEach(device -> daemon.tell(world, device, new Event.Starting(user, more, 0)));
    }

    private void addAsked(Turns turns, String user, Life life) {
        addGivingUp(turns, user, life);
        World fresh = turns.afterReading(daemon);
        boolean isReady = isServed(fresh, life)
                && isHeld(fresh, user, life)
                && devices(life).stream().allMatch(device -> {
                    Place place = fresh.place(device);
                    return place.isHere()
                            && place.work().isEmpty()
                            && !daemon.waitsForScrub(fresh, user, scenario.face(fresh, offer(life), device));
                });
        if (isReady) {
            turns.wishes(user + (offer(life).isPrepared() ? " is being prepared" : " runs"), next -> {
                daemon.read(next);
                begin(next, user, life);
            });
        }
    }

    private void begin(World world, String user, Life life) {
        Offer offer = offer(life);
        truth.mayStart(world, user);
        for (String device : devices(life)) {
            if (offer.isScrubbed()) {
                daemon.note(world, device, offer, Set.of(user));
            }
            if (offer.isPrepared()) {
                world.put(device, world.place(device).bound(true).in(Optional.of(Work.Kind.PREPARE)));
                daemon.tell(
                        world,
                        device,
                        new Event.Begun(Work.Kind.PREPARE, Scenario.isClaim(user) ? user : "", Daemon.CLOCK));
            }
        }
        if (offer.isPrepared()) {
            to(world, user, Stage.PREPARING);
        } else {
            run(world, user, life);
        }
    }

    private void run(World world, String user, Life life) {
        starting(world, user, life, -1);
        to(world, user, Stage.RUNS);
        truth.starts(world, user, true);
    }

    /** A call of the kubelet has taken too long, or it has restarted. It asks again. */
    private void addGivingUp(Turns turns, String user, Life life) {
        turns.may("the start of " + user + " is given up", next -> {
            starting(next, user, life, -1);
            to(next, user, Stage.GIVEN);
        });
    }

    private void addPreparing(Turns turns, String user, Life life) {
        boolean isHere = devices(life).stream()
                .allMatch(device -> turns.from.place(device).isHere());
        if (isHere) {
            turns.may(user + " is prepared and runs", next -> {
                devices(life).forEach(device -> {
                    endPreparation(next, device, Optional.empty());
                    daemon.tell(next, device, new Event.Unprepared(Optional.empty(), "", 0));
                });
                run(next, user, life);
            });
            turns.goesWrong(
                    Mishap.PREPARATION_FAILS, "the preparation of " + user + " fails", next -> fail(next, user, life));
        } else {
            turns.may("the preparation of " + user + " fails", next -> fail(next, user, life));
        }
        addGivingUp(turns, user, life);
    }

    private void fail(World world, String user, Life life) {
        devices(life).forEach(device -> endPreparation(world, device, Optional.of("could not be prepared")));
        starting(world, user, life, -1);
        to(world, user, Stage.GIVEN);
    }

    void endPreparation(World world, String device, Optional<String> problem) {
        world.put(device, world.place(device).in(Optional.empty()));
        daemon.tell(world, device, new Event.Ended(Work.Kind.PREPARE, problem, 0));
    }

    /** Whether somebody waits for the preparation of a device. */
    static boolean isAwaited(World world, String device) {
        return world.lives.values().stream()
                .anyMatch(
                        life -> life.stage() == Stage.PREPARING && devices(life).contains(device));
    }

    private void addRunning(Turns turns, String user, Life life) {
        if (Scenario.isClaim(user)) {
            addRelease(turns, user);
        } else if (!life.isUnseen()) {
            // An unseen start is in the kubelet's notes, and these are read long before a container ends.
            turns.may("the containers of " + user + " end", next -> to(next, user, Stage.ENDING));
        }
    }

    /** The kubelet releases a claim after the last process of its pods. */
    private void addRelease(Turns turns, String user) {
        turns.may(user + " is released", next -> {
            next.claims = Copies.without(next.claims, user);
            to(next, user, Stage.ENDED);
        });
    }

    private void addClaim(Turns turns, Want want) {
        World world = turns.from;
        boolean isWanted = world.life(want.user()).stage() == Stage.NONE
                && scenario.offer(world.configuration, want.resource()).isPresent()
                && want.ids().stream().allMatch(id -> world.listed.contains(id + " " + want.resource()));
        if (isWanted) {
            turns.wishes(want.user() + " claims " + want.ids(), next -> claim(next, want));
        }
    }

    /** A claim reads, takes its devices and is noted on disk in one step, so that it has them also if the daemon dies. */
    private void claim(World world, Want want) {
        Life life = new Life(Stage.ASKED, Optional.of(want), false);
        User.Claim user = (User.Claim) daemon.user(want.user());
        daemon.read(world);
        if (daemon.door.isTaken(world, want, user)) {
            daemon.give(world, want, user);
            world.claims = Copies.with(world.claims, want.user(), want);
            starting(world, want.user(), life, 1);
            world.put(want.user(), life);
        }
    }
}
