package io.edgeplug.model.custody;

import io.edgeplug.model.custody.Scenario.Mishap;
import io.edgeplug.model.custody.World.Knowledge;
import io.edgeplug.model.custody.World.Note;
import io.edgeplug.model.custody.World.Place;
import java.time.Duration;
import java.util.Optional;

/** What happens to the devices of a world, by the daemon and by hand. */
final class Devices {

    private final Scenario scenario;
    private final Daemon daemon;
    private final Lives lives;
    private final Truth truth;

    Devices(Scenario scenario, Daemon daemon, Lives lives) {
        this.scenario = scenario;
        this.daemon = daemon;
        this.lives = lives;
        this.truth = new Truth(scenario);
    }

    /** What the daemon does, before all else. */
    void addDaemon(Turns turns) {
        World world = turns.from;
        World looked = turns.afterLook(daemon);
        if (!looked.records.equals(world.records)
                || !looked.lives.equals(world.lives)
                || world.knowledge != Knowledge.READ) {
            turns.may("the daemon looks", daemon::look);
        }
        if (!daemon.door.list(world).equals(world.listed)) {
            turns.may("the list is sent", next -> next.listed = daemon.door.list(next));
        }
        turns.goesWrong(Mishap.CRASH, "crash", next -> {
            registered(next);
            endPlain(next);
            daemon.boot(next, true);
        });
        turns.goesWrong(Mishap.LATE_DRIVERS, "the node boots, and drivers come late", next -> {
            registered(next);
            next.lives.forEach((user, life) -> next.put(user, booted(life)));
            next.isUnbound = true;
            daemon.boot(next, true);
        });
        if (world.isUnbound) {
            turns.may("the drivers are bound", next -> {
                next.isUnbound = false;
                daemon.group(next);
            });
        }
        turns.goesWrong(Mishap.BLIND_CRASH, "crash, and the notes are unreadable", next -> daemon.boot(next, false));
        if (world.knowledge == Knowledge.READ) {
            turns.goesWrong(Mishap.UNREADABLE, "the notes are unreadable", next -> {
                daemon.readInVain(next);
                next.knowledge = Knowledge.LOST;
            });
        }
        turns.goesWrong(Mishap.RELOAD, "reload", next -> {
            next.configuration =
                    (next.configuration + 1) % scenario.configurations().size();
            daemon.look(next);
        });
    }

    /** No process outlives a boot, and the kubelet starts containers again. */
    private static World.Life booted(World.Life life) {
        return switch (life.stage()) {
            case NONE, GIVEN, ENDED -> life;
            case ASKED, PREPARING, RUNS -> life.at(World.Stage.GIVEN);
            case ENDING -> life.at(World.Stage.ENDED);
        };
    }

    /** The kubelet writes its notes when a plugin registers. */
    static void registered(World world) {
        if (!world.isWritten()) {
            Kubelet.write(world, 1);
        }
    }

    /** A last process with a device that is not scrubbed is noted nowhere, so a new daemon cannot know it. */
    private void endPlain(World world) {
        world.lives.forEach((user, life) -> {
            boolean isPlain = life.stage() == World.Stage.ENDING
                    && !scenario.offer(life.want().orElseThrow().resource()).isScrubbed()
                    && !world.file.containsValue(user);
            if (isPlain) {
                world.put(user, life.at(World.Stage.ENDED));
            }
        });
    }

    void addTo(Turns turns) {
        for (String device : scenario.devices().keySet().stream().sorted().toList()) {
            addPlace(turns, device);
            addReturn(turns, device);
            addLatePreparation(turns, device);
            addScrub(turns, device);
        }
    }

    private void addPlace(Turns turns, String device) {
        Place place = turns.from.place(device);
        if (place.isHere()) {
            turns.goesWrong(
                    Mishap.PULL,
                    device + " is pulled",
                    next -> put(next, device, place.moved().bound(false)));
        } else {
            turns.may(device + " is plugged", next -> {
                put(next, device, place.moved());
                seen(next, device);
            });
        }
        if (place.card() == 1) {
            turns.goesWrong(Mishap.REPLUG, device + " is replaced", next -> {
                put(next, device, place.replaced());
                seen(next, device);
            });
        }
        boolean isTried =
                turns.from.custody(device).trouble().filter(this::isOwed).isPresent();
        if (isTried && turns.from.custody(device).work().isEmpty()) {
            turns.may(device + " changes", next -> seen(next, device));
        }
    }

    /** A preparation that failed for anybody is tried again once the device has changed. */
    private boolean isOwed(Trouble trouble) {
        return trouble.kind() == Trouble.Kind.PREPARATION && trouble.user().isEmpty();
    }

    private static void put(World world, String device, Place place) {
        world.put(device, place);
    }

    private void seen(World world, String device) {
        daemon.see(world, device);
        daemon.tell(world, device, new Event.Retried(Duration.ZERO, 1));
    }

    private void addReturn(Turns turns, String device) {
        World fresh = turns.afterReading(daemon);
        Place place = turns.from.place(device);
        boolean isDue = place.isBound()
                && place.isHere()
                && place.work().isEmpty()
                && turns.from.knowledge == Knowledge.READ
                && fresh.custody(device).isFree();
        if (isDue) {
            turns.may(device + " is to return to its host driver", next -> {
                daemon.read(next);
                put(next, device, place.in(Optional.of(Work.Kind.RETURN)));
                daemon.tell(next, device, new Event.Begun(Work.Kind.RETURN, "", Daemon.CLOCK));
            });
        }
        if (place.work().filter(Work.Kind.RETURN::equals).isPresent()) {
            turns.may(device + " has returned to its host driver", next -> {
                put(next, device, place.bound(false).in(Optional.empty()));
                daemon.tell(next, device, new Event.Ended(Work.Kind.RETURN, Optional.empty(), 0));
            });
        }
    }

    private void addLatePreparation(Turns turns, String device) {
        Place place = turns.from.place(device);
        if (place.work().filter(Work.Kind.PREPARE::equals).isEmpty() || Lives.isAwaited(turns.from, device)) {
            return;
        }
        Optional<String> problem = Optional.of("could not be prepared");
        if (place.isHere()) {
            turns.may(
                    "a late preparation of " + device + " ends",
                    next -> lives.endPreparation(next, device, Optional.empty()));
            turns.goesWrong(
                    Mishap.PREPARATION_FAILS,
                    "a late preparation of " + device + " fails",
                    next -> lives.endPreparation(next, device, problem));
        } else {
            turns.may(
                    "a late preparation of " + device + " fails", next -> lives.endPreparation(next, device, problem));
        }
    }

    private void addScrub(Turns turns, String device) {
        World world = turns.from;
        Place place = world.place(device);
        if (place.work().filter(Work.Kind.SCRUB::equals).isPresent()) {
            addEndOfScrub(turns, device, place);
        } else if (world.scrubs.contains(device)) {
            if (place.work().isEmpty()) {
                turns.may("the scrub of " + device + " begins", next -> beginScrub(next, device));
            }
        } else {
            World looked = turns.afterLook(daemon);
            if (daemon.due(looked, device, Daemon.LATER) instanceof Due.Scrub) {
                turns.may("a scrub of " + device + " is due", next -> {
                    daemon.look(next);
                    next.scrubs = Copies.with(next.scrubs, device);
                    daemon.tell(next, device, new Event.Begun(Work.Kind.SCRUB, "", Daemon.CLOCK));
                });
            }
            addByHand(turns, device, looked);
        }
    }

    /** The lock is held now, so this reads once more. The note says from now on that its users are gone for good. */
    private void beginScrub(World world, String device) {
        daemon.read(world);
        Optional<Note> note = Optional.ofNullable(world.notes.get(device));
        boolean isAllowed = note.isPresent()
                && world.place(device).card() == note.orElseThrow().card()
                && daemon.objectionToScrub(world, device).isEmpty();
        if (!isAllowed) {
            endScrub(world, device, Optional.empty());
            return;
        }
        truth.scrubbed(world, device);
        Traces before = note.orElseThrow().traces();
        Traces released = new Traces(before.users(), before.resource(), true, false, before.group());
        world.notes = Copies.with(
                world.notes, device, new Note(released, note.orElseThrow().card()));
        daemon.tell(world, device, new Event.Traced(Optional.of(released)));
        put(world, device, world.place(device).in(Optional.of(Work.Kind.SCRUB)));
    }

    private void addEndOfScrub(Turns turns, String device, Place place) {
        boolean isHere = Optional.ofNullable(turns.from.notes.get(device))
                .filter(note -> note.card() == place.card())
                .isPresent();
        if (isHere) {
            turns.may("the scrub of " + device + " ends", next -> {
                clean(next, device);
                endScrub(next, device, Optional.empty());
            });
            turns.goesWrong(Mishap.SCRUB_FAILS, "the scrub of " + device + " fails", next -> fail(next, device));
        } else {
            turns.may("the scrub of " + device + " fails", next -> fail(next, device));
        }
    }

    private void fail(World world, String device) {
        endScrub(world, device, Optional.of("could not be scrubbed"));
    }

    private void clean(World world, String device) {
        world.notes = Copies.without(world.notes, device);
        put(world, device, world.place(device).bound(false).used(Truth.usersNow(world, device)));
        daemon.tell(world, device, new Event.Traced(Optional.empty()));
    }

    private void endScrub(World world, String device, Optional<String> problem) {
        world.scrubs = Copies.without(world.scrubs, device);
        if (world.place(device).work().filter(Work.Kind.SCRUB::equals).isPresent()) {
            put(world, device, world.place(device).in(Optional.empty()));
        }
        daemon.tell(world, device, new Event.Ended(Work.Kind.SCRUB, problem, 0));
    }

    /** Only a person can decide about a card that is not the one of the note, or a class that is gone. */
    private void addByHand(Turns turns, String device, World looked) {
        boolean isObstructed = turns.from.place(device).isHere()
                && turns.from.place(device).work().isEmpty()
                && daemon.obstacle(turns.from, device).isPresent();
        if (isObstructed && daemon.objectionToScrub(looked, device).isEmpty()) {
            turns.may("a person scrubs " + device, next -> {
                daemon.look(next);
                truth.scrubbed(next, device);
                clean(next, device);
            });
        }
    }
}
