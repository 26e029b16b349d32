package io.edgeplug.model.custody;

import io.edgeplug.model.custody.Event.Noted;
import io.edgeplug.model.custody.Event.Noting;
import io.edgeplug.model.custody.Scenario.Offer;
import io.edgeplug.model.custody.Scenario.Want;
import io.edgeplug.model.custody.World.Knowledge;
import io.edgeplug.model.custody.World.Life;
import io.edgeplug.model.custody.World.Note;
import io.edgeplug.model.custody.World.Place;
import io.edgeplug.model.custody.World.Stage;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.Shares;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What the daemon of a world does with the rules, in the order in which the real one does it. */
final class Daemon {

    /** The moment of all events, because only the kubelet's file has a time in a world. */
    static final Instant CLOCK = Instant.EPOCH;

    /** Long after all pauses. */
    static final long LATER = Long.MAX_VALUE / 2;

    private final Scenario scenario;
    private final Decisions decisions;
    private final Set<String> users;

    /** Who gets a device. */
    final Door door;

    Daemon(Scenario scenario, Decisions decisions) {
        this.scenario = scenario;
        this.decisions = decisions;
        this.users = scenario.users();
        this.door = new Door(scenario, decisions);
    }

    static Instant time(int seconds) {
        return Instant.ofEpochSecond(seconds);
    }

    void tell(World world, String device, Event event) {
        Custody after = decisions.on(world.custody(device), event);
        if (!after.equals(world.custody(device))) {
            world.records =
                    after.isFree() ? Copies.without(world.records, device) : Copies.with(world.records, device, after);
        }
    }

    User user(String name) {
        User.Pod pod = User.Pod.unnamed(name, "");
        return Scenario.isClaim(name) ? new User.Claim(name, pod) : pod;
    }

    static Device device(World world, String id) {
        return new PathDevice(
                id,
                List.of(new PathDevice.File(
                        "/dev/" + id + "/" + Math.abs(world.place(id).card()), Optional.empty())),
                Optional.empty(),
                Health.HEALTHY);
    }

    /** Reads the kubelet's notes and those of claims. */
    void read(World world) {
        Map<String, List<Noting>> all = claimed(world);
        world.file.forEach((key, name) -> {
            if (!world.ended.contains(name)) {
                String[] words = key.split(" ", -1);
                add(world, all, words[0], words[1], user(name));
            }
        });
        tellAll(world, all, time(world.written), quiet(world), world.knowledge == Knowledge.NONE);
        world.knowledge = Knowledge.READ;
    }

    private Set<String> quiet(World world) {
        Set<String> quiet = new HashSet<>(users);
        quiet.removeIf(name -> world.life(name).hasProcesses());
        return quiet;
    }

    /** Cannot read the kubelet's notes. Nobody is released, and claims are known nevertheless. */
    void readInVain(World world) {
        tellAll(world, claimed(world), Instant.EPOCH, Set.of(), false);
        scenario.devices().keySet().forEach(device -> {
            tell(world, device, new Event.Unread());
            see(world, device);
        });
    }

    void see(World world, String device) {
        if (world.place(device).isHere()) {
            tell(world, device, new Event.Seen(device(world, device)));
        }
    }

    /** The devices are about to be listed with their groups. */
    void group(World world) {
        for (Offer offer : scenario.configurations().get(world.configuration)) {
            offer.devices()
                    .forEach(device -> tell(world, device, new Event.Grouped(scenario.face(world, offer, device))));
        }
    }

    private Map<String, List<Noting>> claimed(World world) {
        Map<String, List<Noting>> all = new HashMap<>();
        world.claims.forEach(
                (claim, want) -> want.ids().forEach(id -> add(world, all, id, want.resource(), user(claim))));
        return all;
    }

    private void add(World world, Map<String, List<Noting>> all, String id, String resource, User user) {
        String device = Shares.whole(id);
        OptionalInt group = world.seen(scenario.group(scenario.offer(resource), device));
        Optional<Device> now = Optional.of(device(world, device))
                .filter(any -> world.place(device).isHere());
        boolean isShare = !id.equals(device);
        all.computeIfAbsent(device, none -> new ArrayList<>())
                .add(new Noting(
                        id,
                        user,
                        resource,
                        group,
                        now,
                        !isShare || world.life(user.uid()).hasStarted()));
    }

    private void tellAll(
            World world, Map<String, List<Noting>> all, Instant written, Set<String> quiet, boolean isFirst) {
        Set<String> devices = new TreeSet<>(world.records.keySet());
        devices.addAll(all.keySet());
        devices.forEach(device -> {
            retrace(world, device);
            tell(world, device, new Noted(all.getOrDefault(device, List.of()), written, quiet, isFirst, 0));
            see(world, device);
        });
    }

    /** The traces are told again with each reading, because their group may be seen by then. */
    private void retrace(World world, String device) {
        Optional<Traces> traces = world.custody(device).traces().map(left -> left.in(world.seen(group(left, device))));
        if (traces.isPresent()) {
            tell(world, device, new Event.Traced(traces));
        }
    }

    private OptionalInt group(Traces traces, String device) {
        return scenario.group(scenario.offer(traces.resource().orElseThrow()), device);
    }

    /** Reads, and notes starts that nobody asked for, and what only a person can decide. */
    void look(World world) {
        read(world);
        world.lives.forEach((name, life) -> {
            if (life.isUnseen() && life.ids().stream().allMatch(id -> mayNote(world, id, life))) {
                noteUnseen(world, name, life.want().orElseThrow());
                world.put(name, new Life(life.stage(), life.want(), false));
            }
        });
        for (String device : world.records.keySet()) {
            if (due(world, device, 0) instanceof Due.Obstacle obstacle) {
                tell(world, device, new Event.Obstructed(Optional.of(obstacle.text()), 0));
            }
        }
    }

    /** The note of a device that is being scrubbed stays as it is, because it is about to go. */
    private static boolean mayNote(World world, String id, Life life) {
        String resource = life.want().orElseThrow().resource();
        Custody custody = world.custody(Shares.whole(id));
        boolean isAboutToGo = custody.traces().filter(Traces::isReleased).isPresent()
                && custody.work().filter(work -> work.kind() == Work.Kind.SCRUB).isPresent();
        return world.file.containsKey(id + " " + resource) && !isAboutToGo;
    }

    private void noteUnseen(World world, String name, Want want) {
        Offer offer = scenario.offer(want.resource());
        for (String id : want.ids()) {
            String device = Shares.whole(id);
            Optional<Traces> before = world.custody(device).traces();
            // The scrub of another face waits until nobody has the device.
            boolean isOther = before.flatMap(Traces::resource)
                    .filter(resource -> !resource.equals(want.resource()))
                    .isPresent();
            if (offer.isScrubbed() && !isOther && decisions.notesUnseen(before)) {
                Set<String> users = new TreeSet<>(Set.of(name));
                before.filter(traces -> !traces.isReleased()).ifPresent(traces -> users.addAll(traces.users()));
                note(world, device, offer, users);
            }
            if (offer.isPrepared()) {
                tell(world, device, new Event.Unprepared(Optional.of("was not prepared"), name, 0));
            }
        }
    }

    /** Notes on disk that these users have a device from now on. */
    void note(World world, String device, Offer offer, Set<String> users) {
        Traces traces = new Traces(
                users, Optional.of(offer.resource()), false, false, world.seen(scenario.group(offer, device)));
        world.notes = Copies.with(
                world.notes, device, new Note(traces, world.place(device).card()));
        tell(world, device, new Event.Traced(Optional.of(traces)));
    }

    Due due(World world, String device, long now) {
        return decisions.due(
                world.custody(device),
                door.isKinHeld(world, device),
                world.place(device).isHere(),
                world.knowledge == Knowledge.READ,
                obstacle(world, device).orElse(null),
                now);
    }

    Optional<String> obstacle(World world, String device) {
        Optional<Note> note = Optional.ofNullable(world.notes.get(device));
        Place place = world.place(device);
        return note.filter(one -> place.isHere() && one.card() != place.card())
                .map(one -> "is not the device that a pod has used here")
                .or(() -> note.filter(one -> scenario.offer(
                                        world.configuration,
                                        one.traces().resource().orElseThrow())
                                .isEmpty())
                        .map(one -> "was used as a resource that no class has any more"));
    }

    Optional<String> objectionToScrub(World world, String device) {
        return decisions.objectionToScrub(world.custody(device), door.isKinHeld(world, device));
    }

    boolean waitsForScrub(World world, String user, Face face) {
        return decisions.waitsForScrub(world.custody(face.device()), user(user), face);
    }

    void give(World world, Want want) {
        give(world, want, User.Grant.of(world.allocates, 0, time(10 * world.allocates)));
    }

    void give(World world, Want want, User user) {
        Offer offer = scenario.offer(world.configuration, want.resource()).orElseThrow();
        want.ids().stream()
                .map(Shares::whole)
                .distinct()
                .forEach(device -> tell(
                        world,
                        device,
                        new Event.Given(
                                Door.own(want, device),
                                scenario.face(world, offer, device),
                                device(world, device),
                                user)));
    }

    /** A new process begins with what is on disk. Starts that the old one answered are asked for again. */
    void boot(World world, boolean isReadable) {
        world.records = new TreeMap<>();
        world.ended = new TreeSet<>();
        world.scrubs = new TreeSet<>();
        world.knowledge = Knowledge.NONE;
        world.lives.forEach((user, life) -> {
            if (life.stage() == Stage.ASKED || life.stage() == Stage.PREPARING) {
                world.put(user, life.at(Stage.GIVEN));
            }
        });
        world.places.forEach((device, place) -> world.put(device, place.in(Optional.empty())));
        world.notes.forEach((device, note) -> {
            Traces traces = note.traces().in(world.seen(group(note.traces(), device)));
            tell(world, device, new Event.Traced(decisions.remembered(traces)));
        });
        if (isReadable) {
            look(world);
        } else {
            readInVain(world);
        }
        world.listed = door.list(world);
    }
}
