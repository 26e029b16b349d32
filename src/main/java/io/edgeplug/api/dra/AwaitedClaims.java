package io.edgeplug.api.dra;

import io.edgeplug.node.pods.PreparedClaim;
import io.edgeplug.system.flow.Backoff;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.flow.Latest;
import io.edgeplug.system.flow.Threads;
import io.edgeplug.system.systemd.LogLimit;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The claims for which the scheduler waits: it has allocated devices of this node, and binds the pod once they are ready.
 * Each is prepared on a thread of its own. What was prepared is given back if the claim loses its devices before the
 * kubelet has asked for it.
 */
final class AwaitedClaims implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(AwaitedClaims.class.getName());

    /** The slices say that a device has failed before the scheduler looks for another one. */
    private static final Duration TAINTED_WITHIN = Duration.ofSeconds(5);

    /** Nothing reports that the API server answers again, or that a step that hung has ended. */
    private static final Duration FIRST_RETRY = Duration.ofSeconds(1);

    private static final Duration LONGEST_RETRY = Duration.ofSeconds(15);

    /** Each try may be news for other claims, and for this one. */
    private static final Duration LEAST_RETRY = Duration.ofMillis(200);

    private static final int MOST_LINES = 20;

    /** A node has some hundred pods with a few claims each. */
    static final int MAX_CLAIMS = 4096;

    /** How many characters these have together. They have some hundred each, and a server may send more. */
    static final int MAX_KEPT = 8 << 20;

    private final Claims claims;
    private final ClaimSource source;
    private final ClaimFiles files;
    private final ClaimStatus status;
    private final Offers offers;
    private final SlicePublisher publisher;
    private final ClaimWatch watch;

    /** By UID, the newest that is known of each claim with devices of this node. */
    private final Map<String, AllocatedClaim> known = new ConcurrentHashMap<>();

    /** How many characters they have; used by the thread that tells of them. */
    private int kept;

    /** By UID, how often the thread of a claim was asked to look. */
    private final Map<String, Integer> running = new ConcurrentHashMap<>();

    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final LogLimit waiting = new LogLimit(MOST_LINES, Duration.ofMinutes(1));
    private final Latest<Long> changes = new Latest<>(0L, Long::longValue);
    private volatile boolean isClosed;

    /** None yet. The watch tells of them, and is told when the API server refuses something for lack of rights. */
    AwaitedClaims(
            Claims claims,
            ClaimSource source,
            ClaimFiles files,
            ClaimStatus status,
            Offers offers,
            SlicePublisher publisher,
            ClaimWatch watch) {
        this.claims = claims;
        this.source = source;
        this.files = files;
        this.status = status;
        this.offers = offers;
        this.publisher = publisher;
        this.watch = watch;
    }

    /** Reports that a claim has got or lost devices. A released one may have a next pod that waits. */
    void wake() {
        tellRunning();
        known.keySet().stream().filter(uid -> files.notes().of(uid).isEmpty()).forEach(this::look);
    }

    private void tellRunning() {
        Long ignored = changes.change(count -> count + 1);
    }

    /**
     * Takes in what the watch tells, and gives back what nobody claims. So it is if claims are followed no longer, because
     * nobody reports then if a pod that is not bound yet is deleted.
     */
    void hear(ClaimNews news) {
        if (news.areAll()) {
            Set<String> uids =
                    news.claims().stream().map(one -> one.name().uid()).collect(Collectors.toSet());
            known.keySet().retainAll(uids);
            kept = known.values().stream().mapToInt(AllocatedClaim::size).sum();
            status.forgetOthers(uids);
            publisher.wake();
        }
        news.claims().forEach(this::changed);
        if (news.areAll()) {
            ahead().forEach(this::look);
            running.keySet().forEach(this::look);
        }
    }

    private void changed(AllocatedClaim claim) {
        String uid = claim.name().uid();
        AllocatedClaim before = known.get(uid);
        int others = kept - (before == null ? 0 : before.size());
        boolean isRoom = (before != null || known.size() < MAX_CLAIMS) && others + claim.size() <= MAX_KEPT;
        if (isRoom && !claim.devices().isEmpty()) {
            kept = others + claim.size();
            AllocatedClaim ignored = known.put(uid, claim);
        } else {
            kept = others;
            if (known.remove(uid) == null && files.notes().of(uid).isEmpty()) {
                // Most claims are of other nodes.
                return;
            }
        }
        status.observe(claim);
        tellRunning();
        look(uid);
    }

    /** The claims that were prepared for the scheduler alone. */
    private List<String> ahead() {
        return files.notes().all().stream()
                .filter(PreparedClaim::isAhead)
                .map(PreparedClaim::uid)
                .toList();
    }

    /**
     * Has the thread of a claim look what is to be done, and begins one if there is none and something is. A thread that runs
     * may have read an older claim, and note it only now.
     */
    private void look(String uid) {
        if (!isClosed && (running.containsKey(uid) || isDue(uid)) && running.merge(uid, 1, Integer::sum) == 1) {
            Thread thread = Front.DRA.virtual("awaited claim").unstarted(() -> follow(uid));
            threads.add(thread);
            thread.start();
        }
    }

    private void follow(String uid) {
        try {
            int asked;
            do {
                asked = running.getOrDefault(uid, 0);
                boolean ignored = Front.DRA.attempt(() -> settle(uid));
            } while (!running.remove(uid, asked));
        } catch (InterruptedException e) {
            LOG.finest("closed");
        } finally {
            threads.remove(Thread.currentThread());
        }
    }

    /** Whether something is to be done for a claim. */
    private boolean isDue(String uid) {
        AllocatedClaim claim = known.get(uid);
        PreparedClaim note = files.notes().of(uid).orElse(null);
        if (claim == null) {
            return note != null && note.isAhead();
        }
        if (note == null) {
            return claim.isWaiting();
        }
        if (!note.isAhead()) {
            // If it is not ready, the kubelet asks for it again, and the scheduler has long bound the pod.
            return files.isReady(note) && claim.isWaiting();
        }
        boolean isOutdated = !note.allocation().equals(Optional.of(claim.allocation()));
        return isOutdated || claim.isWaiting() || (!files.isReady(note) && !claim.hasFailed());
    }

    /** Brings one claim to its end: ready, failed or given back. */
    private void settle(String uid) throws InterruptedException {
        Deadline begun = Deadline.in(Duration.ZERO);
        Backoff backoff = new Backoff(FIRST_RETRY, LONGEST_RETRY);
        String allocation = "";
        String told = "";
        while (isDue(uid)) {
            AllocatedClaim claim = known.get(uid);
            if (claim == null) {
                if (giveBack(uid)) {
                    return;
                }
                pause(backoff);
                continue;
            }
            if (status.hasFailed(claim)) {
                return;
            }
            if (!claim.allocation().equals(allocation)) {
                allocation = claim.allocation();
                begun = Deadline.in(Duration.ZERO);
                backoff.reset();
            }
            long seen = changes.get();
            @Nullable Delay delay = prepare(claim);
            if (delay == null) {
                return;
            }
            if (begun.left().negated().compareTo(delay.patience()) > 0) {
                fail(claim, "Claim " + claim.name() + " cannot be prepared: " + delay.reason());
                return;
            }
            if (delay.isForbidden()) {
                watch.doubt(delay.reason());
            } else if (!delay.reason().equals(told)) {
                told = delay.reason();
                logWaiting(claim, told);
            }
            backoff.failed();
            Long ignored = changes.awaitNewerThan(
                    seen, backoff.due().map(Deadline::wakeUp).orElse(FIRST_RETRY), LEAST_RETRY);
        }
    }

    private static void pause(Backoff backoff) throws InterruptedException {
        backoff.failed();
        backoff.due().orElseGet(() -> Deadline.in(FIRST_RETRY)).await();
    }

    private void logWaiting(AllocatedClaim claim, String reason) {
        waiting.line("claim " + claim.name() + ": its pod waits: " + reason).ifPresent(LOG::info);
    }

    /** Returns why the claim is to be tried again; null if it is ready, or if it has failed. */
    private @Nullable Delay prepare(AllocatedClaim claim) throws InterruptedException {
        try {
            Delay delay = claims.prepareAhead(claim, () -> isWanted(claim)).orElse(null);
            if (delay == null) {
                offers.fit(source.ids(claim));
                status.wake();
            }
            return delay;
        } catch (IOException e) {
            if (isWanted(claim)) {
                fail(claim, String.valueOf(e.getMessage()));
            }
            return null;
        }
    }

    private boolean isWanted(AllocatedClaim claim) {
        AllocatedClaim now = known.get(claim.name().uid());
        return !isClosed && now != null && now.allocation().equals(claim.allocation());
    }

    /** Returns whether nothing is left of it. */
    private boolean giveBack(String uid) throws InterruptedException {
        try {
            claims.giveBackAhead(uid);
            tellRunning();
            return true;
        } catch (IOException e) {
            LOG.fine(() -> "not given back, tried again: " + e.getMessage());
            return false;
        }
    }

    /** The scheduler looks for another device as soon as it knows, so the slices say first that this one has failed. */
    private void fail(AllocatedClaim claim, String text) throws InterruptedException {
        offers.unfit(source.ids(claim));
        publisher.awaitPublished(TAINTED_WITHIN);
        if (isWanted(claim)) {
            status.failed(claim, text);
        }
    }

    @Override
    public void close() {
        isClosed = true;
        List<Thread> all = List.copyOf(threads);
        all.forEach(Thread::interrupt);
        all.forEach(Threads::end);
    }
}
