package io.edgeplug.model.custody;

import io.edgeplug.model.custody.Scenario.Want;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** A node with its daemon, kubelet, pods, claims and disk. It is changed only until it is {@link #sealed}. */
final class World {

    // The daemon's memory.
    SortedMap<String, Custody> records = new TreeMap<>();

    /** What the daemon knows of the kubelet's notes. */
    Knowledge knowledge = Knowledge.READ;

    /** The pods of which the daemon has learned that they have ended. */
    SortedSet<String> ended = new TreeSet<>();

    /** The scrubs that were ordered, and have not ended. */
    SortedSet<String> scrubs = new TreeSet<>();

    // The kubelet.
    /** What is healthy in the last list: {@code id resource}. */
    SortedSet<String> listed = new TreeSet<>();

    /** Who has what in the kubelet's memory, by {@code id resource}. */
    SortedMap<String, String> memory = new TreeMap<>();

    SortedMap<String, String> file = new TreeMap<>();

    /** When the file was written, in the seconds of the clock. */
    int written = 1;

    int allocates;

    // The node.

    SortedMap<String, Life> lives = new TreeMap<>();
    SortedMap<String, Place> places = new TreeMap<>();

    /** The notes of uses, by device. */
    SortedMap<String, Note> notes = new TreeMap<>();

    /** The notes of claims. */
    SortedMap<String, Want> claims = new TreeMap<>();

    int configuration;
    int mishaps;

    /** Whether the devices have lost the drivers by which their groups are seen. */
    boolean isUnbound;

    private int hash;

    /** What the daemon knows of the kubelet's notes. */
    enum Knowledge {
        /** Nothing since the daemon began. */
        NONE,
        /** They cannot be read now. */
        LOST,
        READ
    }

    /** Where a pod or a claim stands. */
    enum Stage {
        NONE,
        /** The kubelet has given it devices, or the claim is noted. */
        GIVEN,
        /** Its start waits for its devices. */
        ASKED,
        PREPARING,
        RUNS,
        /** Its containers have ended, and a last process has not. */
        ENDING,
        ENDED
    }

    /**
     * A pod or a claim.
     *
     * @param isUnseen whether it has started without edgeplug, which has not noted that
     */
    record Life(Stage stage, Optional<Want> want, boolean isUnseen) {

        static final Life NONE = new Life(Stage.NONE, Optional.empty(), false);

        Life at(Stage next) {
            return new Life(next, want, isUnseen && next.compareTo(Stage.RUNS) >= 0);
        }

        boolean hasProcesses() {
            return stage == Stage.RUNS || stage == Stage.ENDING;
        }

        boolean hasStarted() {
            return hasProcesses() || stage == Stage.ENDED;
        }

        Set<String> ids() {
            return want.map(Want::ids).orElse(Set.of());
        }
    }

    /**
     * A place on the node.
     *
     * @param card in it; negative while it is pulled
     * @param isBound whether the card has a recipe's driver; that is noted on disk
     * @param traces whose they are, in truth
     * @param work what is being done to it now, by whoever has its lock
     */
    record Place(int card, boolean isBound, SortedSet<String> traces, Optional<Work.Kind> work) {

        static final Place NEW = new Place(1, false, new TreeSet<>(), Optional.empty());

        Place replaced() {
            return new Place(Math.abs(card) + 1, false, new TreeSet<>(), work);
        }

        /** Pulled, or plugged again. */
        Place moved() {
            return new Place(-card, false, traces, work);
        }

        Place bound(boolean isNow) {
            return new Place(card, isNow, traces, work);
        }

        Place used(Set<String> users) {
            return new Place(card, isBound, new TreeSet<>(users), work);
        }

        Place in(Optional<Work.Kind> now) {
            return new Place(card, isBound, traces, now);
        }

        boolean isHere() {
            return card > 0;
        }
    }

    /** A note of a use on disk. */
    record Note(Traces traces, int card) {}

    World() {}

    World(World other) {
        records = other.records;
        knowledge = other.knowledge;
        ended = other.ended;
        scrubs = other.scrubs;
        listed = other.listed;
        memory = other.memory;
        file = other.file;
        written = other.written;
        allocates = other.allocates;
        lives = other.lives;
        places = other.places;
        notes = other.notes;
        claims = other.claims;
        configuration = other.configuration;
        mishaps = other.mishaps;
        isUnbound = other.isUnbound;
    }

    /** The same for good, with parts that are kept only once. */
    World sealed(Map<Object, Object> parts) {
        records = once(parts, records);
        ended = once(parts, ended);
        scrubs = once(parts, scrubs);
        listed = once(parts, listed);
        memory = once(parts, memory);
        file = once(parts, file);
        lives = once(parts, lives);
        places = once(parts, places);
        notes = once(parts, notes);
        claims = once(parts, claims);
        hash = 0;
        for (Object part : parts()) {
            hash = 31 * hash
                    + (part instanceof Integer || part instanceof Boolean
                            ? part.hashCode()
                            : System.identityHashCode(part));
        }
        return this;
    }

    @SuppressWarnings("unchecked")
    private static <T> T once(Map<Object, Object> parts, T part) {
        return (T) parts.computeIfAbsent(part, same -> same);
    }

    void put(String user, Life life) {
        lives = Copies.with(lives, user, life);
    }

    void put(String device, Place place) {
        places = Copies.with(places, device, place);
    }

    Life life(String user) {
        return lives.getOrDefault(user, Life.NONE);
    }

    Place place(String device) {
        return places.getOrDefault(device, Place.NEW);
    }

    Custody custody(String device) {
        return records.getOrDefault(device, Custody.free(device));
    }

    /** A group as far as it can be seen now. */
    OptionalInt seen(OptionalInt group) {
        return isUnbound ? OptionalInt.empty() : group;
    }

    /** Whether the kubelet has written all that it has in memory, as it does before a container starts. */
    boolean isWritten() {
        return file.equals(memory) && written >= 10 * allocates;
    }

    private List<Object> parts() {
        return List.of(
                records,
                knowledge,
                ended,
                scrubs,
                listed,
                memory,
                file,
                written,
                allocates,
                lives,
                places,
                notes,
                claims,
                configuration,
                mishaps,
                isUnbound);
    }

    @SuppressWarnings("ReferenceEquality") // equal parts are one object, so that millions of worlds can be compared
    @Override
    public boolean equals(Object other) {
        if (!(other instanceof World world) || hash != world.hash) {
            return false;
        }
        return records == world.records
                && knowledge == world.knowledge
                && ended == world.ended
                && scrubs == world.scrubs
                && listed == world.listed
                && memory == world.memory
                && file == world.file
                && written == world.written
                && allocates == world.allocates
                && lives == world.lives
                && places == world.places
                && notes == world.notes
                && claims == world.claims
                && configuration == world.configuration
                && mishaps == world.mishaps
                && isUnbound == world.isUnbound;
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return "%s, %s, ended %s, scrubs %s%n listed %s%n memory %s, file %s of %d%n lives %s%n places %s%n notes %s, claims %s, configuration %d"
                .formatted(
                        records.values().stream()
                                .map(one -> one.id() + ": " + one.text())
                                .toList(),
                        knowledge,
                        ended,
                        scrubs,
                        listed,
                        memory,
                        file,
                        written,
                        lives,
                        places,
                        notes,
                        claims,
                        configuration);
    }
}
