package io.edgeplug.model.custody;

import io.edgeplug.model.custody.Scenario.Offer;
import io.edgeplug.model.custody.World.Life;
import io.edgeplug.model.custody.World.Stage;
import io.edgeplug.model.device.Shares;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/** What containers really do in a world, whatever the daemon knows. It fails if two have what only one may have. */
final class Truth {

    private final Scenario scenario;

    Truth(Scenario scenario) {
        this.scenario = scenario;
    }

    /** Plain, because it is asked millions of times. */
    static void must(boolean isTrue, Supplier<String> text) {
        if (!isTrue) {
            throw new AssertionError(text.get());
        }
    }

    /** A user's preparation begins, and its containers are about to start. */
    void mayStart(World world, String user) {
        check(world, user, true);
    }

    /**
     * The containers of a user start.
     *
     * @param isSeen whether edgeplug was asked, and so could prevent it
     */
    void starts(World world, String user, boolean isSeen) {
        check(world, user, isSeen);
        Offer offer = offer(world.life(user));
        for (String id : world.life(user).ids()) {
            String device = Shares.whole(id);
            if (offer.isScrubbed()) {
                Set<String> traces = new TreeSet<>(world.place(device).traces());
                boolean ignored = traces.add(user);
                world.put(device, world.place(device).used(traces));
            }
        }
    }

    private Offer offer(Life life) {
        return scenario.offer(life.want().orElseThrow().resource());
    }

    private void check(World world, String user, boolean isSeen) {
        Life life = world.life(user);
        Offer offer = offer(life);
        for (String id : life.ids()) {
            if (offer.isScrubbed() && isSeen) {
                Set<String> traces = world.place(Shares.whole(id)).traces();
                must(Set.of(user).containsAll(traces), () -> user + " starts with traces of " + traces + " on " + id);
            }
        }
        world.lives.forEach((name, other) -> {
            if (!name.equals(user) && other.stage() == Stage.RUNS) {
                checkApart(life, other);
            } else if (!name.equals(user) && other.stage() == Stage.ENDING) {
                checkEnding(life, other, isSeen);
            }
        });
    }

    /** Nobody else has the devices of a pod whose last process has not ended, but the kernel refuses some by itself. */
    private void checkEnding(Life life, Life ending, boolean isSeen) {
        boolean isSame = offer(life).resource().equals(offer(ending).resource())
                && life.ids().stream().anyMatch(ending.ids()::contains);
        if (!isSame) {
            checkApart(life, ending);
        } else if (isSeen && offer(life).isScrubbed()) {
            must(
                    life.ids().stream().noneMatch(ending.ids()::contains),
                    () -> "a last process still has one of " + life.ids());
        }
    }

    /** Two users that go on have nothing in common that only one may have. */
    void checkApart(Life one, Life other) {
        for (String id : one.ids()) {
            for (String their : other.ids()) {
                checkApart(id, offer(one), their, offer(other));
            }
        }
    }

    private void checkApart(String id, Offer offer, String their, Offer theirs) {
        String device = Shares.whole(id);
        String same = Shares.whole(their);
        boolean areShares = !id.equals(device) && !their.equals(same) && !id.equals(their);
        boolean isLie = scenario.isLying() && id.equals(their) && offer.equals(theirs);
        must(!device.equals(same) || areShares || isLie, () -> "two have " + id + " and " + their);
        must(!Scenario.areKin(device, same), () -> "two have %s and %s, which are one".formatted(device, same));
        OptionalInt group = scenario.group(offer, device);
        must(
                group.isEmpty() || !group.equals(scenario.group(theirs, same)) || isLie,
                () -> "two have the group of " + id + " and " + their);
    }

    /** A scrub begins. */
    void scrubbed(World world, String device) {
        world.lives.forEach((name, life) -> {
            if (life.hasProcesses()) {
                must(
                        life.ids().stream()
                                .map(Shares::whole)
                                .noneMatch(id ->
                                        id.equals(device) || Scenario.areKin(device, id) || Scenario.isVf(device, id)),
                        () -> device + " is scrubbed while " + name + " has it");
            }
        });
    }

    /** The users with processes that have a device, and whose traces stay although it was scrubbed. */
    static Set<String> usersNow(World world, String device) {
        Set<String> users = new TreeSet<>();
        world.lives.forEach((name, life) -> {
            if (life.hasProcesses() && life.ids().contains(device)) {
                users.add(name);
            }
        });
        return users;
    }
}
