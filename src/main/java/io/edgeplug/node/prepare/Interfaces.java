package io.edgeplug.node.prepare;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PrepareException;
import io.edgeplug.model.rules.KeptFunctions;
import io.edgeplug.model.rules.Recipe;
import io.edgeplug.model.rules.Step;
import io.edgeplug.model.rules.Template;
import io.edgeplug.node.prepare.InterfaceNotes.Note;
import io.edgeplug.node.scan.DeviceScan;
import io.edgeplug.node.scan.Readiness;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.flow.Condition;
import io.edgeplug.system.kernel.LinkAddress;
import io.edgeplug.system.kernel.Links.Link;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Gives network interfaces to pods, and restores them afterwards. The container runtime moves them. It moves an interface
 * only from the node, so where an interface is decides about each start of a container. Only the note of a device tells
 * whose its interface is, and what it was before. Thread-safe; nobody else changes a device meanwhile.
 */
public final class Interfaces {

    /** udev takes some milliseconds, and does not come if it was stopped. */
    private static final Duration NAMED_WITHIN = Duration.ofSeconds(5);

    /**
     * Drivers make an interface a moment after the function is bound to them, and the kernel removes a network namespace a
     * moment after its last process.
     */
    private static final Duration RETURNED_WITHIN = Duration.ofSeconds(10);

    private final Sysfs sysfs;
    private final InterfaceNotes notes;

    private volatile Function<String, Set<String>> containers = pod -> Set.of();

    /** By device, who gets it next; guarded by this. */
    private final Map<String, Expected> expected = new HashMap<>();

    /** Who gets it, under which name, and whether the steps before the move have set its MAC address. */
    private record Expected(Guest guest, String inside, boolean isMacSet) {}

    Interfaces(Sysfs sysfs) {
        this.sysfs = sysfs;
        this.notes = new InterfaceNotes(sysfs);
    }

    /** Learns from now on in which cgroups a pod's containers are, by the pod's UID. */
    public void use(Function<String, Set<String>> ofPod) {
        containers = ofPod;
    }

    /**
     * Announces who gets these devices, and chooses the names of their interfaces in the pod. An interface that the pod
     * already has keeps its name.
     *
     * @param guests by device; the first device gets the first name
     * @param held the devices that their pods have now. A device that a pod has lost, as one that failed, keeps no name
     *     in it, though it may not be scrubbed yet
     * @param recipe by which the devices are prepared; it moves interfaces
     * @throws PrepareException if notes cannot be read
     */
    public synchronized void expect(SortedMap<String, Guest> guests, Set<String> held, Recipe recipe)
            throws PrepareException {
        Optional<Step.Interface> moved = recipe.movedInterface();
        for (Map.Entry<String, Guest> one : guests.entrySet()) {
            String device = one.getKey();
            Guest guest = one.getValue().in(containers(one.getValue()));
            try {
                Optional<String> own = notes.find(device)
                        .filter(note -> note.guest().isInPodOf(guest))
                        .map(Note::inside);
                String inside = own.isPresent()
                        ? own.orElseThrow()
                        : moved.orElseThrow().free(taken(device, guest, held));
                expected.put(
                        device, new Expected(guest, inside, recipe.vf().mac().isPresent()));
            } catch (IOException e) {
                throw new PrepareException(device, "it cannot be given to a pod: " + e.getMessage(), e);
            }
        }
    }

    /** The names in the pod that interfaces of other devices have or get. */
    private Set<String> taken(String device, Guest guest, Set<String> held) throws IOException {
        Set<String> taken = new HashSet<>(notes.namesOfOthers(device, guest, held));
        expected.forEach((other, next) -> {
            if (!other.equals(device) && held.contains(other) && next.guest().isInPodOf(guest)) {
                taken.add(next.inside());
            }
        });
        return taken;
    }

    private Set<String> containers(Guest guest) {
        return guest.pods().stream()
                .flatMap(pod -> containers.apply(pod).stream())
                .collect(Collectors.toSet());
    }

    private synchronized Optional<Expected> expected(Device device) {
        return Optional.ofNullable(expected.get(device.id()));
    }

    /**
     * Whether the pod that gets a device has its interface already. Then the device is prepared, and steps would break what
     * the pod uses. Waits for an interface that is on its way back, because some steps need it.
     *
     * @throws IOException if it is not known where the interface is; the message is a sentence
     */
    boolean staysInPod(Device device, Recipe recipe) throws IOException, InterruptedException {
        Optional<Note> note = notes.find(device.id());
        Optional<Expected> next = recipe.movedInterface().flatMap(moved -> expected(device));
        if (next.isEmpty()) {
            return false;
        }
        if (start(device, next.orElseThrow().guest()) == InterfaceStart.AWAIT) {
            boolean ignored = Condition.await(() -> nameOnNode(device).isPresent(), RETURNED_WITHIN);
        }
        if (start(device, next.orElseThrow().guest()) != InterfaceStart.STAY) {
            return false;
        }
        InterfacePlace.checkArrival(
                sysfs, device, note.orElseThrow(), recipe.movedInterface().orElseThrow());
        return true;
    }

    private InterfaceStart start(Device device, Guest guest) throws IOException {
        Guest last = notes.find(device.id()).map(Note::guest).orElse(null);
        return InterfaceStart.of(InterfacePlace.of(sysfs, device).place(), last, guest);
    }

    /** What {@link #give} would do, for a person. */
    String plan(Device device, Step.Interface moved) throws IOException {
        Optional<String> name = InterfacePlace.of(sysfs, device).name();
        return name.map(own -> own + " ").orElse("") + moved.text(device);
    }

    /**
     * Gives the interface of a device the settings that its pod is to find, so that the container runtime can move it.
     *
     * @param kept the functions that the node uses itself
     * @return what was done
     * @throws IOException if the container must not start; the message is a sentence
     */
    String give(Device device, Step.Interface moved, KeptFunctions kept) throws IOException, InterruptedException {
        Optional<Expected> next = expected(device);
        if (next.isEmpty()) {
            return "stays on the node, because no pod gets it now";
        }
        Guest guest = next.orElseThrow().guest();
        if (start(device, guest) == InterfaceStart.MISSING) {
            boolean ignored = Condition.await(() -> nameOnNode(device).isPresent(), RETURNED_WITHIN);
        }
        InterfaceStart start = start(device, guest);
        if (start.refusal().isPresent()) {
            throw new IOException(start.refusal().orElseThrow());
        }
        if (start == InterfaceStart.STAY) {
            return "is in the pod already, as " + next.orElseThrow().inside();
        }
        return give(device, moved, kept, next.orElseThrow());
    }

    private String give(Device device, Step.Interface moved, KeptFunctions kept, Expected next)
            throws IOException, InterruptedException {
        List<LinkAddress> addresses = addresses(device, moved);
        awaitNamed(device);
        // An earlier start may have failed, or the pod's sandbox is a new one.
        InterfacePlace place = InterfacePlace.of(sysfs, device);
        Link now = place.link(sysfs);
        Optional<Link> before = notes.find(device.id())
                .filter(note -> note.isOf(place))
                .map(note -> next.isMacSet() ? note.before().withMac(now.mac()) : note.before());
        if (before.isPresent()) {
            refuseIfUsed(device, kept.sparingAddresses(), UnaryOperator.identity());
            LinkState.restore(now, before.orElseThrow());
        }
        refuseIfUsed(device, kept, UnaryOperator.identity());
        Link link = InterfacePlace.of(sysfs, device).link(sysfs);
        notes.write(new Note(device.id(), place.made(), next.inside(), next.guest(), before.orElse(link), addresses));
        LinkState.prepare(link, moved, addresses);
        return link.name() + " goes into the pod as " + next.inside();
    }

    /** Waits for udev, which would rename the interface later, and take away the name that the runtime looks for. */
    private void awaitNamed(Device device) throws IOException, InterruptedException {
        boolean ignored = Condition.await(
                () -> nameOnNode(device)
                        .filter(name -> Readiness.isNamed(sysfs, name))
                        .isPresent(),
                NAMED_WITHIN);
    }

    private Optional<String> nameOnNode(Device device) throws IOException {
        return InterfacePlace.of(sysfs, device).name();
    }

    /** An interface that the node itself uses stays as it is, also if that began after the device was offered. */
    private void refuseIfUsed(Device device, KeptFunctions kept, UnaryOperator<String> text) throws IOException {
        List<PciDevice> now = device instanceof PciDevice pci
                ? new DeviceScan(sysfs)
                        .function(pci.function().address()).stream()
                                .filter(one -> one.id().equals(device.id()))
                                .toList()
                : List.of();
        Optional<String> objection = kept.use(now).objection();
        if (objection.isPresent()) {
            throw new IOException(text.apply(objection.orElseThrow()));
        }
    }

    private List<LinkAddress> addresses(Device device, Step.Interface moved) throws IOException {
        List<LinkAddress> addresses = new ArrayList<>();
        for (Template template : moved.addresses()) {
            String text = template.fill(device);
            addresses.add(LinkAddress.parse(text)
                    .filter(LinkAddress::isOfHost)
                    .orElseThrow(() -> new IOException("its address would be " + text
                            + ", which is not one of a host; give the addresses of all devices in addresses_file")));
        }
        if (moved.addressesFile().isPresent()) {
            String file = moved.addressesFile().orElseThrow();
            List<LinkAddress> listed = AddressesFile.read(sysfs, file, device.id());
            if (listed.isEmpty()) {
                throw new IOException("it has no line in " + file + "; add one: DEVICE ADDRESS/PREFIX ...");
            }
            addresses.addAll(listed);
        }
        return addresses;
    }

    /**
     * Restores the interface of a device after its last pod: waits until it is on the node again, and gives it its name and
     * settings.
     *
     * @param kept the functions that the node uses itself
     * @return what was done; empty if there was nothing to do
     * @throws IOException if it cannot be restored now; the message is a sentence
     */
    Optional<String> takeBack(Device device, KeptFunctions kept) throws IOException, InterruptedException {
        Optional<Note> found = notes.find(device.id());
        if (found.isEmpty()) {
            // A start that was announced and failed before the note.
            forget(device);
            return Optional.empty();
        }
        Note note = found.orElseThrow();
        if (InterfacePlace.of(sysfs, device).place() == InterfaceStart.Place.AWAY
                && !Condition.await(() -> nameOnNode(device).isPresent(), RETURNED_WITHIN)) {
            throw new IOException(
                    "its network interface is not on the node again: \"lsns -t net\" shows which process keeps the"
                            + " network namespace of its last pod");
        }
        String done = "its driver makes no network interface any more, so nothing is restored";
        if (nameOnNode(device).isPresent()) {
            awaitNamed(device);
            done = restore(device, note, kept)
                    ? "its network interface is " + note.before().name() + " again"
                    : "its network interface is another one than its last pod had, so nothing is restored";
        }
        forget(device);
        return Optional.of(done);
    }

    private synchronized void forget(Device device) throws IOException {
        notes.delete(device.id());
        expected.remove(device.id());
    }

    /** Returns false if it is another interface, which stays as it is. */
    private boolean restore(Device device, Note note, KeptFunctions kept) throws IOException {
        InterfacePlace place = InterfacePlace.of(sysfs, device);
        if (note.isOf(place)) {
            Link link = place.link(sysfs);
            refuseIfUsed(
                    device,
                    kept.sparingAddresses(),
                    reason -> "its network interface " + link.name() + " is not restored: " + reason
                            + "; end that use, and it is restored");
            LinkState.restore(link, note.before());
        }
        return note.isOf(place);
    }
}
