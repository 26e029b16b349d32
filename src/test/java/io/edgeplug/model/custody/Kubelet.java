package io.edgeplug.model.custody;

import io.edgeplug.model.custody.Scenario.Mishap;
import io.edgeplug.model.custody.Scenario.Want;
import io.edgeplug.model.custody.World.Life;
import io.edgeplug.model.custody.World.Stage;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** What the kubelet of a world does with devices. Its notes, its lists and its view of pods lag; it may also be wrong. */
final class Kubelet {

    private final Scenario scenario;
    private final Daemon daemon;

    Kubelet(Scenario scenario, Daemon daemon) {
        this.scenario = scenario;
        this.daemon = daemon;
    }

    void addTo(Turns turns) {
        World world = turns.from;
        if (!world.isWritten()) {
            turns.may("the kubelet writes", next -> write(next, 1));
        }
        boolean isUnnoted = world.records.values().stream()
                .anyMatch(one -> one.holds().values().stream().anyMatch(Hold::isGrant));
        if (isUnnoted && world.written < 10 * world.allocates + 6) {
            turns.may("the kubelet writes again", next -> write(next, 6));
        }
        scenario.wants().stream()
                .filter(want -> !Scenario.isClaim(want.user()))
                .forEach(want -> addAllocate(turns, want));
        world.lives.forEach((user, life) -> {
            if (life.stage() == Stage.RUNS && !Scenario.isClaim(user)) {
                turns.goesWrong(Mishap.FORGETS, "the kubelet forgets " + user, next -> {
                    next.memory = new TreeMap<>(next.memory);
                    next.memory.values().removeIf(user::equals);
                    next.file = next.memory;
                });
            }
        });
        scenario.wants().stream()
                .filter(want -> world.life(want.user()).stage() == Stage.NONE && isFree(world.memory, want))
                .filter(want -> !Scenario.isClaim(want.user()))
                .forEach(want -> turns.goesWrong(Mishap.MISNAMES, "the kubelet names " + text(want), next -> {
                    note(next, want);
                    next.file = next.memory;
                    daemon.read(next);
                }));
    }

    /** Each Allocate has ten seconds, and the daemon believes notes of the last five that they lack nothing. */
    static void write(World world, int after) {
        world.file = world.memory;
        world.written = 10 * world.allocates + after;
    }

    /** The kubelet writes its notes before it admits the next pod. */
    private void addAllocate(Turns turns, Want want) {
        World world = turns.from;
        boolean isWanted = world.life(want.user()).stage() == Stage.NONE
                && world.allocates < scenario.allocates()
                && world.isWritten()
                && want.ids().stream().allMatch(id -> world.listed.contains(id + " " + want.resource()))
                && scenario.offer(world.configuration, want.resource()).isPresent();
        if (!isWanted) {
            return;
        }
        SortedMap<String, String> memory = new TreeMap<>(world.memory);
        memory.values().removeIf(user -> isOver(world, user));
        if (!isFree(memory, want)) {
            return;
        }
        if (!daemon.door.isGranted(world, want)) {
            turns.wishes(text(want) + " is refused", next -> next.memory = memory);
            return;
        }
        turns.wishes(text(want) + " is given", next -> {
            next.memory = memory;
            next.allocates++;
            next.ended = Copies.without(next.ended, want.user());
            daemon.give(next, want);
            note(next, want);
            next.put(want.user(), new Life(Stage.GIVEN, Optional.of(want), false));
        });
    }

    /** The kubelet frees the devices of a pod whose containers have ended, when it needs some. */
    private static boolean isOver(World world, String user) {
        Stage stage = world.life(user).stage();
        return stage == Stage.NONE || stage == Stage.ENDING || stage == Stage.ENDED;
    }

    private static boolean isFree(SortedMap<String, String> memory, Want want) {
        return want.ids().stream().noneMatch(id -> memory.containsKey(id + " " + want.resource()));
    }

    private static void note(World world, Want want) {
        want.ids().forEach(id -> world.memory = Copies.with(world.memory, id + " " + want.resource(), want.user()));
    }

    static String text(Want want) {
        return want.user() + " " + want.ids().stream().sorted().toList() + " of " + want.resource();
    }
}
