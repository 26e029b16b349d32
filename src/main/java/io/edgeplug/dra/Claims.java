package io.edgeplug.dra;

import io.edgeplug.container.Allocation;
import io.edgeplug.container.ClaimSpecs;
import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceUnavailableException;
import io.edgeplug.device.PrepareException;
import io.edgeplug.dra.ClaimAllocation.Result;
import io.edgeplug.flow.Outcomes;
import io.edgeplug.pods.PreparedClaim;
import io.edgeplug.pods.PreparedClaims;
import io.edgeplug.supply.Releases;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Prepares and releases claims. The kubelet may repeat a call, and finished work is not done again. Any thread may
 * call, and then waits. Only a few different claims wait for each other, by chance.
 */
final class Claims {

    private static final Logger LOG = Logger.getLogger(Claims.class.getName());

    /** The kubelet waits for 45 s, and devices need most of that. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final int LOCKS = 64;

    private final ClaimSource source;
    private final ClaimFiles files;
    private final String boot;
    private final Releases releases;
    private final Runnable changed;
    private final Outcomes preparations = new Outcomes();
    private final Map<String, Given> begun = new ConcurrentHashMap<>();

    /** Held while shares are chosen, so that two claims do not choose the same. */
    private final Lock choosing = new ReentrantLock();

    private final List<Lock> locks =
            IntStream.range(0, LOCKS).<Lock>mapToObj(i -> new ReentrantLock()).toList();

    /**
     * Claims of a node.
     *
     * @param boot identifies this boot of the node
     * @param releases follows which claims hold which devices
     * @param changed run when a claim has got or released devices
     */
    Claims(ClaimSource source, ClaimFiles files, String boot, Releases releases, Runnable changed) {
        this.source = source;
        this.files = files;
        this.boot = boot;
        this.releases = releases;
        this.changed = changed;
    }

    /** How many preparations succeeded, and how many failed. */
    Outcomes.Counts preparations() {
        return preparations.counts();
    }

    /** A claim as the kubelet names it. */
    record Name(String namespace, String name, String uid) {

        @Override
        public String toString() {
            return namespace + "/" + name;
        }
    }

    /**
     * The devices that were handed over to a claim that is not ready yet.
     *
     * @param names the names of CDI devices, by the first device of each request
     * @param edits by these names, everything that a container gets
     */
    private record Given(List<Result> results, Map<Result, String> names, Map<String, Allocation> edits) {}

    /**
     * Prepares a claim's devices, and tells the container runtime how to hand them over.
     *
     * @throws IOException if that fails; the message is a sentence, and the kubelet tries again
     */
    List<PreparedClaim.Device> prepare(Name name) throws IOException, InterruptedException {
        if (!PreparedClaims.isUid(name.uid())) {
            throw new IOException("Claim " + name + " cannot be prepared: its UID is none.");
        }
        Lock lock = lock(name);
        lock.lockInterruptibly();
        try {
            Optional<PreparedClaim> before = files.of(name.uid());
            if (before.filter(claim -> claim.isReady(boot)).isPresent()) {
                files.restore(before.orElseThrow());
                return before.orElseThrow().devices();
            }
            PreparedClaim ready = prepareNow(name);
            preparations.countDone();
            return ready.devices();
        } catch (IOException | DeviceUnavailableException | PrepareException | TimeoutException e) {
            preparations.countFailed();
            String text = "Claim " + name + " cannot be prepared: " + e.getMessage();
            LOG.warning(text);
            throw new IOException(text, e);
        } finally {
            lock.unlock();
        }
    }

    private PreparedClaim prepareNow(Name name)
            throws IOException, InterruptedException, DeviceUnavailableException, PrepareException, TimeoutException {
        long start = System.nanoTime();
        ClaimAllocation allocation = source.allocation(name, PATIENCE);
        boolean isNew = files.of(name.uid()).isEmpty();
        // The claim that had a device before may have been released a moment ago.
        boolean ignored = releases.learnHolders();
        List<GivenDevice> found = noted(name, allocation);
        tellOfChange();
        Given given;
        try {
            given = given(name, allocation, found);
        } catch (DeviceUnavailableException | PrepareException | TimeoutException e) {
            if (isNew) {
                takeBack(name, e);
            }
            throw e;
        }
        ignored = releases.learnHolders();
        // A recipe changes some attributes. Containers see those by which the scheduler has chosen.
        Map<String, String> metadata = metadata(name, allocation, found);
        tellOfChange();
        for (List<GivenDevice> devices : GivenDevice.byRequest(found).values()) {
            if (!devices.getFirst().result().isForAdministrator()) {
                devices.getFirst()
                        .resource()
                        .makeReady(GivenDevice.ids(devices), devices.getFirst().choice(), device -> lost(name, device));
            }
        }
        PreparedClaim ready = claim(name, allocation, found, given.names())
                .ready(boot, ClaimSpecs.content(source.cdiKind(), given.edits()), metadata);
        files.noteReady(ready);
        begun.remove(name.uid());
        LOG.info("claim %s: prepared in %d ms: %s"
                .formatted(name, (System.nanoTime() - start) / 1_000_000, text(ready)));
        return ready;
    }

    /** Frees the devices of a new claim, of which no container has any yet. */
    private void takeBack(Name name, Exception reason) {
        // A hand-over counts for some seconds. Once it is known as the claim's, it ends with the claim's note.
        boolean ignored = releases.learnHolders();
        try {
            files.remove(name.uid());
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
        ignored = releases.learnHolders();
        tellOfChange();
    }

    private void tellOfChange() {
        releases.lookSoon();
        changed.run();
    }

    /**
     * Finds the devices, and notes them. From then on nobody else touches them, and the claim has them even if the
     * process is killed.
     */
    private List<GivenDevice> noted(Name name, ClaimAllocation allocation) throws IOException, InterruptedException {
        List<GivenDevice> found = new ArrayList<>();
        for (Result result : allocation.results()) {
            found.add(source.find(result));
        }
        // All choices are checked before anything is noted or done.
        GivenDevice.checkChoices(found);
        choosing.lockInterruptibly();
        try {
            List<GivenDevice> chosen = new ClaimShares(name.uid(), files.all()).choose(found);
            files.note(claim(name, allocation, chosen, Map.of()));
            return chosen;
        } finally {
            choosing.unlock();
        }
    }

    /** A recipe may wait long before it begins. Meanwhile another claim may have got the device. */
    private Optional<String> lost(Name name, Device device) {
        return files.has(name.uid(), device.id())
                ? Optional.empty()
                : Optional.of("is not for claim " + name + " any more");
    }

    /** A device whose preparation failed is unhealthy, so this claim keeps what it was handed over the first time. */
    private Given given(Name name, ClaimAllocation allocation, List<GivenDevice> found)
            throws IOException, DeviceUnavailableException, PrepareException, TimeoutException, InterruptedException {
        Optional<Given> before = Optional.ofNullable(begun.get(name.uid()))
                .filter(one -> one.results().equals(allocation.results()));
        if (before.isPresent()) {
            return before.orElseThrow();
        }
        Map<Result, String> names = new LinkedHashMap<>();
        Map<String, Allocation> edits = new TreeMap<>();
        Set<String> told = new HashSet<>();
        Collection<List<GivenDevice>> requests = GivenDevice.byRequest(found).values();
        GivenDevice.awaitScrubs(requests);
        files.checkOpen();
        for (List<GivenDevice> devices : requests) {
            Result first = devices.getFirst().result();
            Allocation gets = GivenDevice.allocate(devices);
            if (told.add(first.request())) {
                gets = gets.with(files.mount(name, allocation.podClaim(), first.request(), source.driver()));
            }
            if (!gets.nodes().isEmpty()
                    || !gets.mounts().isEmpty()
                    || !gets.env().isEmpty()) {
                String cdi = name.uid() + "_" + first.request() + "_" + first.device();
                names.put(first, cdi);
                edits.put(cdi, gets);
            }
        }
        Given now = new Given(allocation.results(), names, edits);
        begun.put(name.uid(), now);
        return now;
    }

    /** By request, what its containers are told of its devices. */
    private Map<String, String> metadata(Name name, ClaimAllocation allocation, List<GivenDevice> found) {
        Map<String, String> metadata = new TreeMap<>();
        found.stream()
                .collect(Collectors.groupingBy(one -> one.result().request(), LinkedHashMap::new, Collectors.toList()))
                .forEach((request, devices) -> metadata.put(
                        request, MetadataFile.content(name, allocation.podClaim(), source.driver(), devices)));
        return metadata;
    }

    private PreparedClaim claim(
            Name name, ClaimAllocation allocation, List<GivenDevice> found, Map<Result, String> names) {
        Stream<PreparedClaim.Device> devices = found.stream()
                .flatMap(one -> one.ids().stream()
                        .map(id -> new PreparedClaim.Device(
                                one.result().request(),
                                one.result().pool(),
                                one.result().device(),
                                one.result().share(),
                                id,
                                one.resource().name().toString(),
                                one.result().isForAdministrator(),
                                Optional.ofNullable(names.get(one.result()))
                                        .map(cdi -> source.cdiKind() + "=" + cdi))));
        return new PreparedClaim(name.uid(), name.namespace(), name.name(), allocation.pods(), devices.toList());
    }

    /**
     * Releases a claim that no container uses any more.
     *
     * @throws IOException if its note cannot be removed; the message is a sentence
     */
    void release(Name name) throws IOException, InterruptedException {
        Lock lock = lock(name);
        lock.lockInterruptibly();
        try {
            Optional<PreparedClaim> claim = files.of(name.uid());
            begun.remove(name.uid());
            if (claim.isPresent() || files.isUnread(name.uid())) {
                files.remove(name.uid());
                LOG.info("claim " + name + ": released: "
                        + claim.map(Claims::text).orElse("its note could not be read, and is deleted"));
                tellOfChange();
                claim.ifPresent(one -> one.devices().forEach(this::forgetFailure));
            }
        } catch (IOException e) {
            String text = "Claim " + name + " cannot be released: " + e.getMessage();
            LOG.warning(text);
            throw new IOException(text, e);
        } finally {
            lock.unlock();
        }
    }

    /** The preparation may have failed because of the claim's choice, and the next claim chooses something else. */
    private void forgetFailure(PreparedClaim.Device device) {
        source.resources().stream()
                .filter(resource -> resource.name().toString().equals(device.resource())
                        && !resource.deviceClass().choices().isEmpty())
                .forEach(resource -> resource.forgetFailure(device.id()));
    }

    private Lock lock(Name name) {
        return locks.get(Math.floorMod(name.uid().hashCode(), LOCKS));
    }

    private static String text(PreparedClaim claim) {
        return claim.devices().stream().map(PreparedClaim.Device::id).collect(Collectors.joining(", "));
    }
}
