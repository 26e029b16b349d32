package io.edgeplug.model.custody;

import io.edgeplug.model.custody.Turns.Turn;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Goes through all states of a world, nearest first, so that the way to a violation is the shortest. */
final class Search {

    private final Scenario scenario;
    private final Invariants invariants;
    private final Kubelet kubelet;
    private final Lives lives;
    private final Devices devices;
    private final Map<Object, Object> parts = new HashMap<>();
    private final Map<World, Origin> origins = new HashMap<>();
    private final Set<World> ending = new HashSet<>();
    private final World first;

    /** From where a world was reached first. */
    private record Origin(Optional<World> before, String name) {}

    /** All that was seen. */
    record Found(int states, int steps) {}

    Search(Scenario scenario, Decisions decisions) {
        this.scenario = scenario;
        Daemon daemon = new Daemon(scenario, decisions);
        this.invariants = new Invariants(scenario, daemon, parts);
        this.kubelet = new Kubelet(scenario, daemon);
        this.lives = new Lives(scenario, daemon);
        this.devices = new Devices(scenario, daemon, lives);
        World start = new World();
        start.listed = daemon.door.list(start);
        this.first = start.sealed(parts);
    }

    /** Fails with the shortest way to a state that must not be. */
    Found run() {
        Deque<World> open = new ArrayDeque<>(List.of(first));
        origins.put(first, new Origin(Optional.empty(), "start"));
        int steps = 0;
        while (!open.isEmpty()) {
            World at = open.removeFirst();
            try {
                invariants.check(at);
                checkEnd(at);
                for (Turn turn : turns(at, false)) {
                    steps++;
                    if (origins.putIfAbsent(turn.next(), new Origin(Optional.of(at), turn.name())) == null) {
                        open.addLast(turn.next());
                    }
                }
            } catch (AssertionError e) {
                throw new AssertionError(way(at) + ": " + e.getMessage() + "\nin " + at, e);
            }
        }
        return new Found(origins.size(), steps);
    }

    private List<Turn> turns(World world, boolean isEnd) {
        Turns turns = new Turns(scenario, parts, world, isEnd);
        devices.addDaemon(turns);
        kubelet.addTo(turns);
        lives.addTo(turns);
        devices.addTo(turns);
        return turns.all();
    }

    /** If nobody wants anything more and nothing goes wrong, all comes to rest. */
    private void checkEnd(World world) {
        World at = new World(world);
        at.mishaps = scenario.atMost();
        at.configuration = 0;
        at = at.sealed(parts);
        List<String> names = new ArrayList<>();
        Set<World> seen = new HashSet<>();
        while (!ending.contains(at)) {
            if (!seen.add(at)) {
                throw new AssertionError("never comes to rest: " + names);
            }
            Optional<Turn> next = turns(at, true).stream().findFirst();
            if (next.isEmpty()) {
                try {
                    invariants.checkRest(at);
                } catch (AssertionError e) {
                    throw new AssertionError("then " + names + ": " + e.getMessage(), e);
                }
                break;
            }
            names.add(next.orElseThrow().name());
            at = next.orElseThrow().next();
        }
        ending.addAll(seen);
    }

    private List<String> way(World world) {
        List<String> way = new ArrayList<>();
        Optional<World> at = Optional.of(world);
        while (at.isPresent()) {
            Origin origin = Optional.ofNullable(origins.get(at.orElseThrow())).orElseThrow();
            way.add(origin.name());
            at = origin.before();
        }
        Collections.reverse(way);
        return way;
    }
}
