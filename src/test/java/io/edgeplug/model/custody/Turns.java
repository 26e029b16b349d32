package io.edgeplug.model.custody;

import io.edgeplug.model.custody.Scenario.Mishap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** All that may happen next in a world. */
final class Turns {

    private final Scenario scenario;
    private final Map<Object, Object> parts;
    private final List<Turn> all = new ArrayList<>();

    /** The world in which it happens. */
    final World from;

    /** Whether only the first that brings the world to rest is wanted. */
    private final boolean isEnd;

    private Optional<World> read = Optional.empty();
    private Optional<World> looked = Optional.empty();

    /**
     * Something that happens.
     *
     * @param isWish whether a pod asks for something, so that the world need not come to rest after it
     * @param next the world after it
     */
    record Turn(String name, boolean isWish, World next) {}

    Turns(Scenario scenario, Map<Object, Object> parts, World from, boolean isEnd) {
        this.scenario = scenario;
        this.parts = parts;
        this.from = from;
        this.isEnd = isEnd;
    }

    List<Turn> all() {
        return all;
    }

    /** The world if the daemon read the kubelet's notes now. */
    World afterReading(Daemon daemon) {
        if (read.isEmpty()) {
            World next = new World(from);
            daemon.read(next);
            read = Optional.of(next);
        }
        return read.orElseThrow();
    }

    /** The world if the daemon looked now. */
    World afterLook(Daemon daemon) {
        if (looked.isEmpty()) {
            World next = new World(from);
            daemon.look(next);
            looked = Optional.of(next);
        }
        return looked.orElseThrow();
    }

    void may(String name, Consumer<World> change) {
        add(name, false, change);
    }

    void wishes(String name, Consumer<World> change) {
        add(name, true, change);
    }

    void goesWrong(Mishap mishap, String name, Consumer<World> change) {
        if (scenario.mishaps().contains(mishap) && from.mishaps < scenario.atMost()) {
            add(name, true, change.andThen(next -> next.mishaps++));
        }
    }

    private void add(String name, boolean isWish, Consumer<World> change) {
        if (isEnd && (isWish || !all.isEmpty())) {
            return;
        }
        World next = new World(from);
        try {
            change.accept(next);
        } catch (AssertionError e) {
            throw new AssertionError(name + ": " + e.getMessage(), e);
        }
        all.add(new Turn(name, isWish, next.sealed(parts)));
    }
}
