package io.edgeplug.api.dra;

import io.edgeplug.node.pods.KubeletClaims;
import io.edgeplug.node.pods.PreparedClaim;
import io.edgeplug.node.supply.Failures;
import io.edgeplug.system.flow.Follower;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.flow.Latest;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Logger;
import java.util.stream.Collectors;

/**
 * Releases the claims that the kubelet has forgotten because it has lost its notes, and for which it never asks. Their
 * pods have ended, and the API server must say that nobody else may come for what was prepared. If it does not say, a
 * person must. It looks on a thread of its own.
 */
final class ForgottenClaims implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(ForgottenClaims.class.getName());

    /** Nobody reports that a pod has ended or that the kubelet has lost its notes. */
    private static final Duration LOOK = Duration.ofMinutes(1);

    /** News of all claims of a cluster may come together. */
    private static final Duration BURST = Duration.ofSeconds(1);

    private final Claims claims;
    private final ClaimSource source;
    private final ClaimFiles files;
    private final KubeletClaims kubelet;
    private final Failures failures;
    private final Latest<Long> wakes = new Latest<>(0L, Long::longValue);

    /** The UIDs of the claims of which a person was told; used by the thread only. */
    private final Set<String> told = new HashSet<>();

    private final Follower follower;

    ForgottenClaims(Claims claims, ClaimSource source, ClaimFiles files, KubeletClaims kubelet, Failures failures) {
        this.claims = claims;
        this.source = source;
        this.files = files;
        this.kubelet = kubelet;
        this.failures = failures;
        this.follower = wakes.follow(Front.DRA.virtual("forgotten claims"), BURST, any -> {
            boolean ignored = Front.DRA.attempt(this::lookAtAll);
            return LOOK;
        });
    }

    /** Requests a look soon, as after a start of the kubelet, or if the API server has news of claims. */
    void wake() {
        Long ignored = wakes.change(count -> count + 1);
    }

    private void lookAtAll() throws InterruptedException {
        List<PreparedClaim> all = files.notes().all();
        Set<String> forgotten = kubelet.lost(
                all.stream().filter(this::isAtRest).map(PreparedClaim::uid).collect(Collectors.toSet()));
        told.retainAll(all.stream().map(PreparedClaim::uid).collect(Collectors.toSet()));
        for (PreparedClaim claim : all) {
            if (forgotten.contains(claim.uid())) {
                settle(claim);
            } else {
                tellNoMore(claim);
            }
        }
    }

    /** Whether the kubelet has asked for it, and no pod has it now as far as can be seen. */
    private boolean isAtRest(PreparedClaim claim) {
        return !claim.isAhead() && !kubelet.mayRun(claim);
    }

    private void settle(PreparedClaim claim) throws InterruptedException {
        try {
            if (isGone(claim)) {
                Set<String> uid = Set.of(claim.uid());
                claims.releaseForgotten(
                        claim, () -> isAtRest(claim) && kubelet.lost(uid).equals(uid));
            }
            tellNoMore(claim);
        } catch (ApiException e) {
            // The kubelet also forgets a claim that it has just released.
            if (e.isForbidden() && files.notes().of(claim.uid()).equals(Optional.of(claim))) {
                tell(claim, e);
            }
        } catch (IOException e) {
            LOG.fine(() -> claim + ": not known whether it is gone: " + e.getMessage());
        }
    }

    /** Whether the API server does not have the allocation any more that was prepared, so that no pod can use it. */
    private boolean isGone(PreparedClaim claim) throws IOException, InterruptedException {
        try {
            AllocatedClaim now = source.known(Claims.Name.of(claim));
            return !now.name().equals(Claims.Name.of(claim))
                    || now.devices().isEmpty()
                    || claim.allocation()
                            .filter(one -> !one.equals(now.allocation()))
                            .isPresent();
        } catch (ApiException e) {
            if (e.isNotFound()) {
                return true;
            }
            throw e;
        }
    }

    private void tell(PreparedClaim claim, ApiException e) {
        if (told.add(claim.uid())) {
            String name = Claims.Name.of(claim).toString();
            // The end may be cut off.
            String text =
                    "the kubelet has lost its note of the claim and will never release it; see that no pod of this node"
                            + " uses the claim, and run rm " + files.notes().place(claim.uid())
                            + " && systemctl restart edgeplug, or give edgeplug the role that edgeplug dra rbac prints; the claim"
                            + " keeps " + Claims.text(claim) + ", because it is not known whether it is gone: "
                            + e.getMessage();
            failures.failed(
                    Failures.Kind.RELEASE,
                    source.driver(),
                    name,
                    "Claim " + name + " is not released",
                    new IOException(text, e));
        }
    }

    private void tellNoMore(PreparedClaim claim) {
        if (told.remove(claim.uid())) {
            failures.wentWell(
                    Failures.Kind.RELEASE,
                    source.driver(),
                    Claims.Name.of(claim).toString());
        }
    }

    @Override
    public void close() {
        follower.close();
    }
}
