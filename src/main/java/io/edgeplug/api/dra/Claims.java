package io.edgeplug.api.dra;

import io.edgeplug.api.dra.ClaimAllocation.Result;
import io.edgeplug.model.custody.User;
import io.edgeplug.model.device.DeviceUnavailableException;
import io.edgeplug.model.device.PrepareException;
import io.edgeplug.node.container.Allocation;
import io.edgeplug.node.container.ClaimSpecs;
import io.edgeplug.node.pods.PreparedClaim;
import io.edgeplug.node.pods.PreparedClaims;
import io.edgeplug.node.supply.CustodyThread;
import io.edgeplug.node.supply.Failures;
import io.edgeplug.system.flow.Outcomes;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

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
    private final CustodyThread custody;
    private final Failures failures;
    private final Runnable changed;
    private final Outcomes preparations = new Outcomes();

    /** Held while shares are chosen, so that two claims do not choose the same. */
    private final Lock choosing = new ReentrantLock();

    private final List<Lock> locks =
            IntStream.range(0, LOCKS).<Lock>mapToObj(i -> new ReentrantLock()).toList();

    /**
     * Claims of a node.
     *
     * @param boot identifies this boot of the node
     * @param custody follows which claims hold which devices
     * @param failures what has failed and has not gone well since
     * @param changed run when a claim has got or released devices
     */
    Claims(
            ClaimSource source,
            ClaimFiles files,
            String boot,
            CustodyThread custody,
            Failures failures,
            Runnable changed) {
        this.source = source;
        this.files = files;
        this.boot = boot;
        this.custody = custody;
        this.failures = failures;
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
     * Prepares a claim's devices, and tells the container runtime how to hand them over.
     *
     * @throws IOException if that fails; the message is a sentence, and the kubelet tries again
     */
    List<PreparedClaim.Device> prepare(Name name) throws IOException, InterruptedException {
        if (!PreparedClaims.isUid(name.uid())) {
            throw new IOException("Claim " + name + " cannot be prepared: its UID is none.");
        }
        return attempt(name, Failures.Kind.CLAIM, "prepared", () -> {
            Optional<PreparedClaim> before = files.notes().of(name.uid());
            if (before.filter(claim -> claim.isReady(boot)).isPresent()) {
                files.restore(before.orElseThrow());
                return before.orElseThrow().devices();
            }
            PreparedClaim ready = prepareNow(name);
            preparations.countDone();
            return ready.devices();
        });
    }

    private interface Work<T> {
        T run()
                throws IOException, InterruptedException, DeviceUnavailableException, PrepareException,
                        TimeoutException;
    }

    /** Does the work for one claim while nobody else does any for it, and notes how it went. */
    private <T> T attempt(Name name, Failures.Kind kind, String what, Work<T> work)
            throws IOException, InterruptedException {
        Lock lock = locks.get(Math.floorMod(name.uid().hashCode(), LOCKS));
        lock.lockInterruptibly();
        try {
            T done = work.run();
            failures.wentWell(kind, source.driver(), name.toString());
            return done;
        } catch (IOException | DeviceUnavailableException | PrepareException | TimeoutException e) {
            if (kind == Failures.Kind.CLAIM) {
                preparations.countFailed();
            }
            String failed = "Claim " + name + " cannot be " + what;
            failures.failed(kind, source.driver(), name.toString(), failed, e);
            throw new IOException(failed + ": " + e.getMessage(), e);
        } finally {
            lock.unlock();
        }
    }

    private PreparedClaim prepareNow(Name name)
            throws IOException, InterruptedException, DeviceUnavailableException, PrepareException, TimeoutException {
        long start = System.nanoTime();
        ClaimAllocation allocation = source.allocation(name, PATIENCE);
        boolean isNew = files.notes().of(name.uid()).isEmpty();
        List<GivenDevice> found = taken(name, allocation);
        tellOfChange();
        Map<Result, Allocation> given;
        try {
            given = given(name, allocation, found);
        } catch (DeviceUnavailableException | PrepareException | TimeoutException e) {
            if (isNew) {
                takeBack(name, e);
            }
            throw e;
        }
        // A recipe changes some attributes. Containers see those by which the scheduler has chosen.
        Map<String, String> metadata = MetadataFile.contents(name, allocation, source.driver(), found);
        tellOfChange();
        for (GivenRequest request : GivenRequest.of(found)) {
            // A recipe may wait long before it begins. Meanwhile another claim may have got the device.
            request.makeReady(device -> files.has(name.uid(), device.id())
                    ? Optional.empty()
                    : Optional.of("is not for claim " + name + " any more"));
        }
        Map<String, Allocation> edits = new TreeMap<>();
        given.forEach((first, gets) -> edits.put(cdi(name, first), gets));
        PreparedClaim ready = claim(name, allocation, found, given.keySet())
                .ready(boot, ClaimSpecs.content(source.cdiKind(), edits), metadata);
        files.noteReady(ready);
        LOG.info("claim %s: prepared in %d ms: %s"
                .formatted(name, (System.nanoTime() - start) / 1_000_000, text(ready)));
        return ready;
    }

    /** A claim whose devices cannot be given now, as after a scrub that failed, has nothing. The kubelet asks again. */
    private void takeBack(Name name, Exception reason) {
        try {
            files.remove(name.uid());
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
        boolean ignored = custody.learnHolders();
        tellOfChange();
    }

    private void tellOfChange() {
        custody.lookSoon();
        changed.run();
    }

    /**
     * Finds the devices, takes and notes them. From then on nobody else is given them or a mate in their group, and the
     * claim has them even if the process is killed.
     */
    private List<GivenDevice> taken(Name name, ClaimAllocation allocation) throws IOException, InterruptedException {
        List<GivenDevice> found = new ArrayList<>();
        for (Result result : allocation.results()) {
            found.add(source.find(result));
        }
        // All choices are checked before anything is noted or done.
        GivenDevice.checkChoices(found);
        choosing.lockInterruptibly();
        try {
            List<GivenDevice> chosen = new ClaimShares(name.uid(), files.notes().all()).choose(found);
            PreparedClaim claim = claim(name, allocation, chosen, Set.of());
            List<GivenDevice> own = chosen.stream()
                    .filter(one -> !one.result().isForAdministrator())
                    .toList();
            if (own.isEmpty()) {
                files.note(claim);
            } else {
                files.refuseIfUnread(name.uid());
                custody.claim(user(claim), GivenDevice.resources(own), GivenDevice.ids(own), () -> files.note(claim));
            }
            return chosen;
        } finally {
            choosing.unlock();
        }
    }

    private static User.Claim user(PreparedClaim claim) {
        String container = "claim " + claim.name();
        return new User.Claim(
                claim.uid(),
                claim.pods().stream()
                        .findFirst()
                        .map(pod -> new User.Pod(
                                pod.uid(), Optional.of(claim.namespace()), Optional.of(pod.name()), container))
                        .orElseGet(() -> User.Pod.unnamed(claim.uid(), container)));
    }

    /**
     * Hands the devices over, and returns everything that a container gets, by the first device of each request. A device
     * whose preparation has failed for this claim is handed over to it again.
     */
    private Map<Result, Allocation> given(Name name, ClaimAllocation allocation, List<GivenDevice> found)
            throws IOException, DeviceUnavailableException, PrepareException, TimeoutException, InterruptedException {
        Map<Result, Allocation> given = new LinkedHashMap<>();
        Set<String> told = new HashSet<>();
        List<GivenRequest> requests = GivenRequest.of(found);
        GivenRequest.awaitScrubs(requests);
        files.checkOpen();
        for (GivenRequest request : requests) {
            Result first = request.first();
            Allocation gets = request.allocate();
            if (told.add(first.request())) {
                gets = gets.with(
                        files.mount(name, allocation.podClaim().orElse(null), first.request(), source.driver()));
            }
            if (!gets.nodes().isEmpty()
                    || !gets.mounts().isEmpty()
                    || !gets.env().isEmpty()) {
                given.put(first, gets);
            }
        }
        return given;
    }

    /** The name of the CDI device with what a container gets for a request. */
    private static String cdi(Name name, Result first) {
        return name.uid() + "_" + first.request() + "_" + first.device();
    }

    private PreparedClaim claim(Name name, ClaimAllocation allocation, List<GivenDevice> found, Set<Result> given) {
        List<PreparedClaim.Device> devices = found.stream()
                .flatMap(one -> one.noted(
                        given.contains(one.result()) ? source.cdiKind() + "=" + cdi(name, one.result()) : null))
                .toList();
        return new PreparedClaim(name.uid(), name.namespace(), name.name(), allocation.pods(), devices);
    }

    /**
     * Releases a claim that no container uses any more.
     *
     * @throws IOException if its note cannot be removed; the message is a sentence
     */
    void release(Name name) throws IOException, InterruptedException {
        boolean ignored = attempt(name, Failures.Kind.RELEASE, "released", () -> {
            Optional<PreparedClaim> claim = files.notes().of(name.uid());
            boolean isNoted = claim.isPresent() || files.notes().isUnread(name.uid());
            if (isNoted) {
                files.remove(name.uid());
                LOG.info("claim " + name + ": released: "
                        + claim.map(Claims::text).orElse("its note could not be read, and is deleted"));
                tellOfChange();
            }
            failures.wentWell(Failures.Kind.CLAIM, source.driver(), name.toString());
            return isNoted;
        });
    }

    private static String text(PreparedClaim claim) {
        return claim.devices().stream().map(PreparedClaim.Device::id).collect(Collectors.joining(", "));
    }
}
