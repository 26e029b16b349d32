package io.edgeplug.api.dra;

import io.edgeplug.api.dra.HealthService.OfDevice;
import io.edgeplug.node.pods.PreparedClaim;
import io.edgeplug.system.flow.Backoff;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.Follower;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.flow.Latest;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what claims say of this node's devices correct ({@code status.devices}), on a thread of its own: whether a device
 * is ready, whether it is healthy, and which network interface the pod has. The scheduler waits for the first before it
 * binds a pod. All is made of notes, so nothing is lost if the process is killed.
 */
final class ClaimStatus implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(ClaimStatus.class.getName());

    /** So that slices go first. The scheduler looks only every five seconds. */
    private static final Duration AFTER_SLICES = Duration.ofMillis(50);

    private static final Duration FIRST_RETRY = Duration.ofMillis(250);
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(60);

    private final ClaimSource source;
    private final ClaimFiles files;
    private final Supplier<List<OfDevice>> health;
    private final Function<String, Optional<String>> refusal;
    private final ClaimWatch watch;
    private final Latest<Long> wakes = new Latest<>(0L, Long::longValue);
    private final Backoff backoff = new Backoff(FIRST_RETRY, LONGEST_RETRY);
    private final Follower follower;

    /** By UID, claims as the API server has them, as far as is known. */
    private final Map<String, AllocatedClaim> known = new ConcurrentHashMap<>();

    /** By UID, claims that could not be prepared before their pods were bound. */
    private final Map<String, Failure> failures = new ConcurrentHashMap<>();

    private record Failure(AllocatedClaim claim, String text) {}

    /**
     * The status of a node's claims.
     *
     * @param health of the devices in the slices
     * @param refusal why the claim with a UID could not be prepared for the kubelet; empty if it could
     * @param watch knows whether the status may be written, and is told when the API server refuses that
     */
    ClaimStatus(
            ClaimSource source,
            ClaimFiles files,
            Supplier<List<OfDevice>> health,
            Function<String, Optional<String>> refusal,
            ClaimWatch watch) {
        this.source = source;
        this.files = files;
        this.health = health;
        this.refusal = refusal;
        this.watch = watch;
        this.follower = wakes.follow(Front.DRA.virtual("claim status"), AFTER_SLICES, any -> turn());
    }

    /** Reports that something may have changed: notes, health or what the API server has. */
    void wake() {
        Long ignored = wakes.change(count -> count + 1);
    }

    /** Takes in a claim as the API server has it. */
    void observe(AllocatedClaim claim) {
        String uid = claim.name().uid();
        AllocatedClaim newest = newest(uid, claim);
        dropOther(uid, newest);
        wake();
    }

    /** Forgets a failure of another allocation than the newest. */
    private void dropOther(String uid, AllocatedClaim newest) {
        failures.computeIfPresent(
                uid, (same, failure) -> failure.claim().allocation().equals(newest.allocation()) ? failure : null);
    }

    /** The newest that is known of a claim, also if an answer comes after news that are younger. */
    private AllocatedClaim newest(String uid, AllocatedClaim claim) {
        return known.merge(uid, claim, (before, now) -> now.isAsNewAs(before) ? now : before);
    }

    /** Takes in that claims with other UIDs have no devices of this node, or that nobody would report it. */
    void forgetOthers(Set<String> uids) {
        failures.keySet().retainAll(uids);
        wake();
    }

    /** Takes in that a claim could not be prepared, until it is allocated anew. */
    void failed(AllocatedClaim claim, String text) {
        String uid = claim.name().uid();
        Failure ignored = failures.put(uid, new Failure(claim, text));
        // News may just have come, and found nothing to forget.
        dropOther(uid, known.getOrDefault(uid, claim));
        wake();
    }

    /** Whether this allocation could not be prepared. */
    boolean hasFailed(AllocatedClaim claim) {
        Failure failure = failures.get(claim.name().uid());
        return failure != null && failure.claim().allocation().equals(claim.allocation());
    }

    /** Writes what differs, and returns how long to wait for news. */
    private Duration turn() throws InterruptedException {
        if (!watch.mayWrite()) {
            return Latest.FOREVER;
        }
        boolean[] isDone = {false};
        boolean isNoBug = Front.DRA.attempt(() -> isDone[0] = writeAll());
        if (isNoBug && isDone[0]) {
            backoff.succeeded();
            return Latest.FOREVER;
        }
        backoff.failed();
        return backoff.due().map(Deadline::wakeUp).orElse(Duration.ZERO);
    }

    private boolean writeAll() throws InterruptedException {
        List<PreparedClaim> notes = files.notes().all();
        Set<String> uids = new HashSet<>(failures.keySet());
        notes.forEach(claim -> uids.add(claim.uid()));
        known.keySet().retainAll(uids);
        if (uids.isEmpty()) {
            return true;
        }
        Map<String, String> problems =
                health.get().stream().collect(Collectors.toMap(OfDevice::name, OfDevice::message, (one, other) -> one));
        Map<Claims.Name, DeviceConditions> wanted = new LinkedHashMap<>();
        for (PreparedClaim claim : notes) {
            Claims.Name name = Claims.Name.of(claim);
            Optional<String> reason = claim.isAhead() ? Optional.empty() : refusal.apply(claim.uid());
            if (files.isReady(claim)) {
                wanted.put(
                        name, DeviceConditions.ready(claim, files.interfaces().networks(claim), problems));
            } else if (reason.isPresent()) {
                wanted.put(name, DeviceConditions.notReady(claim, reason.orElseThrow(), problems));
            }
        }
        failures.values()
                .forEach(one ->
                        wanted.put(one.claim().name(), DeviceConditions.failed(one.claim(), one.text(), problems)));
        boolean isDone = true;
        for (Map.Entry<Claims.Name, DeviceConditions> one : wanted.entrySet()) {
            isDone &= write(one.getKey(), one.getValue());
        }
        return isDone;
    }

    /** Returns whether it need not be tried again. */
    private boolean write(Claims.Name name, DeviceConditions all) throws InterruptedException {
        AllocatedClaim now = known.get(name.uid());
        try {
            if (now == null) {
                now = newest(name.uid(), source.known(name));
            }
            DeviceConditions wanted = all.of(now);
            if (now.name().equals(name) && !wanted.areThoseOf(now)) {
                AllocatedClaim ignored = newest(name.uid(), source.write(now, wanted));
                LOG.fine(() -> "claim " + name + ": status written: " + wanted);
            }
            return true;
        } catch (ApiException e) {
            return isRefused(name, now, e);
        } catch (IOException e) {
            LOG.fine(() -> "claim " + name + ": status not written, tried again: " + e.getMessage());
            return false;
        }
    }

    /** The same after an answer to what was known of the claim then. */
    private boolean isRefused(Claims.Name name, @Nullable AllocatedClaim asked, ApiException e) {
        LOG.fine(() -> "claim " + name + ": status not written: " + e.getMessage());
        if (e.isInvalid() || e.isOutdated()) {
            // It was deallocated or deleted. The watch reports that, or the kubelet releases it. It may also have
            // reported more.
            return asked == null || known.replace(name.uid(), asked, asked.without());
        }
        if (e.isForbidden() && known.containsKey(name.uid())) {
            watch.doubt(String.valueOf(e.getMessage()));
            return true;
        }
        if (e.isForbidden()) {
            // Without the right to read all claims, a node may read only those of its pods.
            AllocatedClaim ignored = known.put(name.uid(), new AllocatedClaim(name, "", "", List.of()));
            return true;
        }
        return false;
    }

    @Override
    public void close() {
        follower.close();
    }
}
