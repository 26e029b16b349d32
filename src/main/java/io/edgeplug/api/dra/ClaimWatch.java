package io.edgeplug.api.dra;

import com.google.gson.JsonObject;
import com.google.gson.stream.MalformedJsonException;
import io.edgeplug.system.files.ForeignFile.TooLargeException;
import io.edgeplug.system.files.ForeignJson;
import io.edgeplug.system.flow.Backoff;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.flow.Latest;
import io.edgeplug.system.flow.Threads;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Follows the claims that have devices of this node, on a thread of its own. Nothing selects them at the API server, so it
 * lists all claims once, and then watches all of them. Without the rights for that it looks from time to time whether it
 * has got them.
 */
final class ClaimWatch implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(ClaimWatch.class.getName());

    /** A claim of 32 requests with all their parameters, and of which the status repeats them. */
    private static final int MAX_EVENT = 8 << 20;

    private static final Duration FIRST_RETRY = Duration.ofMillis(250);
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(60);

    /** When to look for the first time whether the identity has got the rights that it lacked. */
    private static final Duration RIGHTS_LOOK = Duration.ofSeconds(30);

    /** Each look is some requests, and a cluster may have many nodes without the rights. */
    private static final Duration LONGEST_LOOK = Duration.ofMinutes(5);

    private final ApiServer api;
    private final NodeRights rights;
    private final String driver;
    private final BooleanSupplier isKept;
    private final boolean follows;
    private final Consumer<ClaimNews> listener;
    private final Thread thread;
    private final CountDownLatch isKnown = new CountDownLatch(1);
    private final Backoff backoff = new Backoff(FIRST_RETRY, LONGEST_RETRY);
    private final Backoff rightsLook = new Backoff(RIGHTS_LOOK, LONGEST_LOOK);
    private final Duration longestOutage;
    private volatile boolean isClosed;
    private volatile boolean mayWrite;

    /** Why claims are not followed; null while they are. */
    private volatile @Nullable String obstacle = "not known yet whether the API server allows it";

    /** What the API server has refused although it says that it allows it; null if nothing. */
    private volatile @Nullable String refused;

    /** When an outage lasts too long; used by the thread only. Null while there is none. */
    private @Nullable Deadline outage;

    /** The version that the next watch begins with; used by the thread only. Null if all claims are to be listed. */
    private @Nullable String version;

    /**
     * A watch, which begins with {@link #start}.
     *
     * @param isKept whether the API server keeps binding conditions, as far as is known
     * @param follows whether claims are followed at all, or it is only found out whether their status may be written
     * @param listener returns at once
     * @param longestOutage how long following may fail before the scheduler waits for no more devices
     */
    ClaimWatch(
            ApiServer api,
            String driver,
            BooleanSupplier isKept,
            boolean follows,
            Consumer<ClaimNews> listener,
            Duration longestOutage) {
        this.api = api;
        this.rights = new NodeRights(api, driver);
        this.driver = driver;
        this.isKept = isKept;
        this.follows = follows;
        this.listener = listener;
        this.longestOutage = longestOutage;
        this.thread = Front.DRA.virtual("claim watch").unstarted(this::follow);
    }

    void start() {
        thread.start();
    }

    /** Whether the scheduler can wait for devices, because claims are followed. */
    boolean isFollowing() {
        return follows && obstacle == null;
    }

    /** Whether the status of claims may be written. */
    boolean mayWrite() {
        return mayWrite && refused == null;
    }

    /** Why devices are not prepared before pods are bound; empty if they are, or if no class asks for it. */
    Optional<String> obstacle() {
        return follows ? Optional.ofNullable(obstacle) : Optional.empty();
    }

    /** Waits until it is known for the first time whether claims can be followed. */
    void awaitKnown(Duration patience) throws InterruptedException {
        boolean ignored = !follows || isKnown.await(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Reports what the API server said when it refused something for lack of rights. */
    void doubt(String refusal) {
        refused = refusal;
        thread.interrupt();
    }

    private void follow() {
        while (!isClosed) {
            try {
                boolean isDone = Front.DRA.attempt(this::turn);
                if (!isDone) {
                    version = null;
                    pause(backoff);
                }
            } catch (InterruptedException e) {
                // Closed, or in doubt about the rights.
                version = null;
            }
        }
    }

    private void turn() throws InterruptedException {
        String from = version;
        Deadline opened = Deadline.in(ApiServer.PATIENCE.multipliedBy(2));
        try {
            if (from == null) {
                begin();
            } else {
                watch(from);
            }
        } catch (ApiException e) {
            Deadline least = Deadline.in(e.retryAfter());
            if (!e.isOfServer()) {
                version = null;
            }
            failed(e);
            least.await();
        } catch (IOException e) {
            if (from != null && opened.isOver()) {
                outage = null;
            }
            failed(e);
        }
    }

    private void failed(IOException e) throws InterruptedException {
        LOG.fine(() -> "claims are not followed: " + e.getMessage());
        Deadline longest = outage;
        if (isKnown.getCount() > 0) {
            obstacle = String.valueOf(e.getMessage());
        } else if (longest == null) {
            outage = Deadline.in(longestOutage);
        } else if (longest.isOver() && obstacle == null) {
            // What is prepared stays so, because nobody knows which pods were bound meanwhile.
            obstacle = String.valueOf(e.getMessage());
            version = null;
            warn(String.valueOf(e.getMessage()));
        }
        pause(backoff);
    }

    private static void pause(Backoff until) throws InterruptedException {
        until.failed();
        until.due().orElseGet(() -> Deadline.in(Duration.ZERO)).await();
    }

    private void begin() throws IOException, InterruptedException {
        Optional<String> missing = rights.missing(follows);
        missing = missing.or(() -> Optional.ofNullable(refused));
        mayWrite = missing.isEmpty();
        if (missing.isPresent()) {
            fallBack(missing.orElseThrow());
            pause(rightsLook);
            refused = null;
        } else if (!follows) {
            listener.accept(ClaimNews.NONE);
            Deadline.in(Latest.FOREVER.dividedBy(2)).await();
        } else if (!isKept.getAsBoolean()) {
            fallBack("the API server drops " + SliceField.BINDING.loss());
            pause(rightsLook);
        } else {
            list();
        }
    }

    private void fallBack(String reason) {
        String before = obstacle;
        obstacle = reason;
        if (!reason.equals(before)) {
            warn(reason);
            listener.accept(ClaimNews.NONE);
        }
        isKnown.countDown();
    }

    private void warn(String reason) {
        if (follows && isKept.getAsBoolean()) {
            LOG.warning(driver + ": devices are prepared only when the kubelet asks, and not before pods are bound: "
                    + reason);
        }
    }

    private void list() throws IOException, InterruptedException {
        AllocatedClaim.Page all = AllocatedClaim.Page.all(api, driver);
        version = all.version();
        if (obstacle != null) {
            LOG.info(driver + ": follows claims, to prepare devices before pods are bound");
        }
        obstacle = null;
        outage = null;
        listener.accept(new ClaimNews(all.claims(), true));
        isKnown.countDown();
        backoff.succeeded();
    }

    private void watch(String from) throws IOException, InterruptedException {
        Deadline soon = Deadline.in(Duration.ofSeconds(1));
        NeededFields fields = AllocatedClaim.fields("object/", "type");
        String node = api.nodeName();
        // As much again is made of an event.
        api.watch(
                ApiRequest.watchClaims(from),
                ApiServer.PATIENCE,
                MAX_EVENT,
                2 * AllocatedClaim.MAX_NEEDED,
                json -> hear(fields, node, json));
        outage = null;
        if (!soon.isOver()) {
            // A server that ends each watch at once is not asked without a pause.
            pause(backoff);
        }
    }

    private boolean hear(NeededFields fields, String node, ForeignJson json) throws IOException {
        try {
            outage = null;
            JsonObject event = fields.read(json, AllocatedClaim.MAX_NEEDED, AllocatedClaim.own(driver));
            JsonObject object = Json.object(event, "object");
            String type = Json.text(event, "type");
            switch (type) {
                case "BOOKMARK" -> {}
                case "ADDED", "MODIFIED" -> listener.accept(ClaimNews.of(AllocatedClaim.of(object, driver, node)));
                case "DELETED" ->
                    listener.accept(
                            ClaimNews.of(AllocatedClaim.of(object, driver, node).without()));
                default -> {
                    version = null;
                    return false;
                }
            }
            version = Json.text(Json.object(object, "metadata"), "resourceVersion");
            return true;
        } catch (MalformedJsonException | EOFException | TooLargeException | IllegalStateException e) {
            LOG.fine(() -> "an event of a claim cannot be read: " + e.getMessage());
            version = null;
            return false;
        }
    }

    @Override
    public void close() {
        isClosed = true;
        Threads.end(thread);
    }
}
