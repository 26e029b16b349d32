package io.edgeplug.api.dra;

import io.edgeplug.model.device.DeviceUnavailableException;
import io.edgeplug.model.device.PrepareException;
import io.edgeplug.node.pods.KubeletClaims;
import io.edgeplug.node.pods.PreparedClaim;
import io.edgeplug.node.pods.PreparedClaims;
import io.edgeplug.node.supply.CustodyThread;
import io.edgeplug.node.supply.Failures;
import io.edgeplug.system.flow.Outcomes;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.logging.Logger;
import java.util.stream.Collectors;

/**
 * Prepares and releases claims. The kubelet may repeat a call, and finished work is not done again. Any thread may
 * call, and then waits.
 */
final class Claims {

    private static final Logger LOG = Logger.getLogger(Claims.class.getName());

    /** The scheduler waits for ten minutes, and should then know the reason. */
    private static final Duration SCHEDULER_WAITS = Duration.ofMinutes(9);

    /** How long to wait for a device that somebody else has whom the scheduler believes to be gone. */
    private static final Duration OTHERS_END_WITHIN = Duration.ofMinutes(1);

    private static final String GIVEN_BACK = "given back before its pod was bound";

    private final ClaimSource source;
    private final ClaimFiles files;
    private final Failures failures;
    private final Runnable changed;
    private final KubeletClaims kubelet;
    private final ClaimPreparation preparation;
    private final Outcomes preparations = new Outcomes();

    /** By UID, why claims could not be prepared. */
    private final Map<String, String> refusals = new ConcurrentHashMap<>();

    private final ClaimLocks locks = new ClaimLocks();

    /**
     * Claims of a node.
     *
     * @param custody follows which claims hold which devices
     * @param kubelet knows which claims the kubelet notes, and whose pods run
     * @param failures what has failed and has not gone well since
     * @param wake run when a claim has got or released devices
     */
    Claims(
            ClaimSource source,
            ClaimFiles files,
            CustodyThread custody,
            KubeletClaims kubelet,
            Failures failures,
            Runnable wake) {
        this.source = source;
        this.files = files;
        this.kubelet = kubelet;
        this.failures = failures;
        this.changed = () -> {
            custody.lookSoon();
            wake.run();
        };
        this.preparation = new ClaimPreparation(source, files, custody, changed);
    }

    /** How many preparations succeeded, and how many failed. */
    Outcomes.Counts preparations() {
        return preparations.counts();
    }

    /** Why a claim could not be prepared the last time; empty if it could. */
    Optional<String> refusal(String uid) {
        return Optional.ofNullable(refusals.get(uid));
    }

    /** Takes in that devices have changed. What was done to one that is pulled is lost, also if it comes back. */
    void look() {
        files.notes().all().stream()
                .filter(claim -> claim.isAhead() && files.isReady(claim) && !claim.isUndone() && source.hasLost(claim))
                .forEach(files::noteUndone);
    }

    /** A claim as the kubelet names it. */
    record Name(String namespace, String name, String uid) {

        static Name of(PreparedClaim claim) {
            return new Name(claim.namespace(), claim.name(), claim.uid());
        }

        @Override
        public String toString() {
            return namespace + "/" + name;
        }
    }

    /**
     * Prepares a claim's devices for the kubelet, and tells the container runtime how to hand them over. If they were
     * prepared before the pod was bound, there is nothing left to do.
     *
     * @throws IOException if that fails; the message is a sentence, and the kubelet tries again
     */
    List<PreparedClaim.Device> prepare(Name name) throws IOException, InterruptedException {
        if (!PreparedClaims.isUid(name.uid())) {
            throw new IOException("Claim " + name + " cannot be prepared: its UID is none.");
        }
        return attempt(name, Failures.Kind.CLAIM, "prepared", () -> {
            PreparedClaim before = files.notes().of(name.uid()).orElse(null);
            // A kubelet that has lost its notes has released nothing, so only this tells whether these are the devices.
            ClaimAllocation allocation = source.allocation(name);
            if (before != null && !allocation.isOf(before)) {
                kubelet.refuseIfRunning(before, allocation.pods());
                remove(before, before.isAhead() ? GIVEN_BACK : "released, because it was allocated anew");
            } else if (before != null && files.isReady(before) && !before.isAhead()) {
                files.restore(before);
                return before.devices();
            } else if (before != null
                    && files.isReady(before)
                    && !before.isUndone()
                    && source.areFit(before)
                    && files.notes().of(name.uid()).equals(Optional.of(before))) {
                files.noteReady(before.askedFor(allocation.pods()));
                LOG.info("claim " + name + ": was prepared before its pod was bound");
                return before.devices();
            }
            return prepared(name, allocation, false, () -> true).devices();
        });
    }

    /**
     * Prepares a claim for the scheduler, which binds its pod afterwards.
     *
     * @param isWaiting whether the scheduler still waits for this allocation
     * @return why that cannot be done yet, and is to be tried again; empty if the claim is ready
     * @throws IOException if it fails; the message is a sentence
     */
    Optional<Delay> prepareAhead(AllocatedClaim claim, BooleanSupplier isWaiting)
            throws IOException, InterruptedException {
        Name name = claim.name();
        return attempt(name, Failures.Kind.CLAIM, "prepared", () -> {
            PreparedClaim before = files.notes().of(name.uid()).orElse(null);
            if (before != null && !before.isAhead()) {
                return Delay.of("its last pod on this node has not ended", OTHERS_END_WITHIN);
            } else if (before != null && !before.allocation().equals(Optional.of(claim.allocation()))) {
                remove(before, GIVEN_BACK);
            }
            PreparedClaim own = files.notes().of(name.uid()).orElse(null);
            if (own != null && files.isReady(own)) {
                files.restore(own);
                return Optional.empty();
            }
            ClaimAllocation allocation;
            try {
                allocation = source.allocation(name);
            } catch (IOException e) {
                boolean isForbidden = e instanceof ApiException refusal && refusal.isForbidden();
                return Optional.of(new Delay(String.valueOf(e.getMessage()), SCHEDULER_WAITS, isForbidden));
            }
            if (!allocation.id().equals(claim.allocation())) {
                return Delay.of("it was allocated anew meanwhile", SCHEDULER_WAITS);
            }
            try {
                PreparedClaim ignored = prepared(name, allocation, true, isWaiting);
                return Optional.empty();
            } catch (TimeoutException e) {
                // The work goes on, and the next try waits for it.
                return Delay.of(e.getMessage(), SCHEDULER_WAITS);
            } catch (IOException | DeviceUnavailableException e) {
                if (source.isHeldByOthers(name.uid(), allocation)) {
                    return Delay.of(e.getMessage(), OTHERS_END_WITHIN);
                }
                throw e;
            }
        });
    }

    private PreparedClaim prepared(Name name, ClaimAllocation allocation, boolean isAhead, BooleanSupplier isWaiting)
            throws IOException, InterruptedException, DeviceUnavailableException, PrepareException, TimeoutException {
        long start = System.nanoTime();
        PreparedClaim ready = preparation.prepare(name, allocation, isAhead, isWaiting);
        preparations.countDone();
        changed.run();
        LOG.info("claim %s: prepared in %d ms: %s"
                .formatted(name, (System.nanoTime() - start) / 1_000_000, text(ready)));
        return ready;
    }

    private void remove(PreparedClaim claim, String how) throws IOException {
        files.remove(claim.uid());
        LOG.info(claim + ": " + how + ": " + text(claim));
        changed.run();
    }

    /** Gives back what was prepared for the scheduler alone. The kubelet itself releases a claim for which it has asked. */
    void giveBackAhead(String uid) throws IOException, InterruptedException {
        PreparedClaim claim = files.notes().of(uid).orElse(null);
        if (claim == null) {
            return;
        }
        Name name = Name.of(claim);
        boolean ignored = attempt(name, Failures.Kind.RELEASE, "released", () -> {
            PreparedClaim now = files.notes().of(uid).orElse(null);
            if (now == null || !now.isAhead()) {
                return false;
            }
            remove(now, GIVEN_BACK);
            failures.wentWell(Failures.Kind.CLAIM, source.driver(), name.toString());
            return true;
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
        locks.lock(name.uid());
        try {
            T done = work.run();
            refusals.remove(name.uid());
            failures.wentWell(kind, source.driver(), name.toString());
            return done;
        } catch (IOException | DeviceUnavailableException | PrepareException | TimeoutException e) {
            String failed = "Claim " + name + " cannot be " + what;
            String text = failed + ": " + e.getMessage();
            if (kind == Failures.Kind.CLAIM) {
                preparations.countFailed();
                refusals.keySet().removeIf(uid -> files.notes().of(uid).isEmpty());
                refusals.put(name.uid(), text);
            }
            failures.failed(kind, source.driver(), name.toString(), failed, e);
            changed.run();
            throw new IOException(text, e);
        } finally {
            locks.unlock(name.uid());
        }
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
                changed.run();
            }
            failures.wentWell(Failures.Kind.CLAIM, source.driver(), name.toString());
            return isNoted;
        });
    }

    /** Releases a claim that the kubelet has forgotten, unless the kubelet has asked for it meanwhile. */
    void releaseForgotten(PreparedClaim claim, BooleanSupplier isStill) throws IOException, InterruptedException {
        boolean ignored = attempt(Name.of(claim), Failures.Kind.RELEASE, "released", () -> {
            if (isStill.getAsBoolean() && files.notes().of(claim.uid()).equals(Optional.of(claim))) {
                remove(claim, "released, because the kubelet has forgotten it and nobody can use it");
            }
            return true;
        });
    }

    /** Its devices, for a person. */
    static String text(PreparedClaim claim) {
        return claim.devices().stream().map(PreparedClaim.Device::id).collect(Collectors.joining(", "));
    }
}
