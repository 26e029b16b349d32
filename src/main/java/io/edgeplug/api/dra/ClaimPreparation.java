package io.edgeplug.api.dra;

import io.edgeplug.api.dra.ClaimAllocation.Result;
import io.edgeplug.model.custody.User;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.DeviceUnavailableException;
import io.edgeplug.model.device.PrepareException;
import io.edgeplug.node.container.Allocation;
import io.edgeplug.node.container.ClaimSpecs;
import io.edgeplug.node.pods.PreparedClaim;
import io.edgeplug.node.supply.CustodyThread;
import java.io.IOException;
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
import java.util.function.BooleanSupplier;

/**
 * Prepares the devices of claims: takes them, notes them, runs their recipes and writes what containers get. That is the
 * same for the scheduler and for the kubelet. Thread-safe, with one thread for each claim.
 */
final class ClaimPreparation {

    private final ClaimSource source;
    private final ClaimFiles files;
    private final CustodyThread custody;

    /** Run when a claim has got devices, or has none after all. */
    private final Runnable changed;

    /** Held while shares are chosen, so that two claims do not choose the same. */
    private final Lock choosing = new ReentrantLock();

    ClaimPreparation(ClaimSource source, ClaimFiles files, CustodyThread custody, Runnable changed) {
        this.source = source;
        this.files = files;
        this.custody = custody;
        this.changed = changed;
    }

    /**
     * Prepares a claim: for the kubelet, which starts containers with its devices, or ahead for the scheduler, which
     * binds the pod afterwards.
     *
     * @param isWaiting whether the caller still waits
     */
    PreparedClaim prepare(Claims.Name name, ClaimAllocation allocation, boolean isAhead, BooleanSupplier isWaiting)
            throws IOException, InterruptedException, DeviceUnavailableException, PrepareException, TimeoutException {
        boolean isNew = files.notes().of(name.uid()).isEmpty();
        List<GivenDevice> found = taken(name, allocation, isAhead);
        changed.run();
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
        changed.run();
        for (GivenRequest request : GivenRequest.of(found)) {
            request.makeReady(device -> lost(name, device, isWaiting));
        }
        Map<String, Allocation> edits = new TreeMap<>();
        given.forEach((first, gets) -> edits.put(cdi(name, first), gets));
        PreparedClaim ready = claim(name, allocation, found, given.keySet())
                .of(allocation.id(), isAhead)
                .ready(files.boot(), ClaimSpecs.content(source.cdiKind(), edits), metadata);
        files.noteReady(ready);
        return ready;
    }

    /** A recipe may wait long before it begins. Meanwhile another claim may have got the device. */
    private Optional<String> lost(Claims.Name name, Device device, BooleanSupplier isWaiting) {
        return isWaiting.getAsBoolean() && files.has(name.uid(), device.id())
                ? Optional.empty()
                : Optional.of("is not for claim " + name + " any more");
    }

    /** A claim whose devices cannot be given now, as after a scrub that failed, has nothing. The caller asks again. */
    private void takeBack(Claims.Name name, Exception reason) {
        try {
            files.remove(name.uid());
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
        boolean ignored = custody.learnHolders();
        changed.run();
    }

    /**
     * Finds the devices, takes and notes them. From then on nobody else is given them or a mate in their group, and the
     * claim has them even if the process is killed.
     */
    private List<GivenDevice> taken(Claims.Name name, ClaimAllocation allocation, boolean isAhead)
            throws IOException, InterruptedException {
        List<GivenDevice> found = new ArrayList<>();
        for (Result result : allocation.results()) {
            found.add(source.find(result));
        }
        // All choices are checked before anything is noted or done.
        GivenDevice.checkChoices(found);
        choosing.lockInterruptibly();
        try {
            List<GivenDevice> chosen = new ClaimShares(name.uid(), files.notes().all()).choose(found);
            PreparedClaim claim = claim(name, allocation, chosen, Set.of()).of(allocation.id(), isAhead);
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
    private Map<Result, Allocation> given(Claims.Name name, ClaimAllocation allocation, List<GivenDevice> found)
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
    private static String cdi(Claims.Name name, Result first) {
        return name.uid() + "_" + first.request() + "_" + first.device();
    }

    private PreparedClaim claim(
            Claims.Name name, ClaimAllocation allocation, List<GivenDevice> found, Set<Result> given) {
        List<PreparedClaim.Device> devices = found.stream()
                .flatMap(one -> one.noted(
                        given.contains(one.result()) ? source.cdiKind() + "=" + cdi(name, one.result()) : null))
                .toList();
        return new PreparedClaim(name.uid(), name.namespace(), name.name(), allocation.pods(), devices);
    }
}
