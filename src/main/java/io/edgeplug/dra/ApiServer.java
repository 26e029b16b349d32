package io.edgeplug.dra;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.edgeplug.flow.Deadline;
import io.edgeplug.linux.PlainText;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;

/**
 * The cluster's API server, asked with the identity of a kubeconfig. Its answers are limited in time and size.
 *
 * <p>The kubelet's certificate rotates. So the identity is read again whenever one of its files has changed, and when
 * the server does not know it. Any thread may ask, and then waits.
 */
final class ApiServer implements AutoCloseable {

    /** The slices of 4,096 devices are about 6 MiB. */
    private static final int MAX_ANSWER = 8 << 20;

    /** One slice of 64 devices is about 100 KiB. */
    private static final int MAX_EVENT = 1 << 20;

    private static final int MAX_TEXT = 300;

    /** Slightly more than the number of pods that start at a time. */
    private static final int MAX_CONNECTIONS = 8;

    /** So that slices leave connections for claims. */
    private static final int AT_A_TIME = 4;

    /** The server itself ends a watch earlier. */
    private static final Duration LONGEST_WATCH = Duration.ofMinutes(6);

    private static final long CLOSE_MILLIS = 1000;

    private final Path file;
    private final EventLoopGroup loop;
    private final Semaphore connections = new Semaphore(MAX_CONNECTIONS);
    private final Deque<ApiConnection> idle = new ArrayDeque<>();
    private Optional<Identity> identity = Optional.empty();

    /** The identity of requests. */
    private record Identity(Kubeconfig kubeconfig, SSLContext tls) {}

    ApiServer(Path kubeconfig) {
        this.file = kubeconfig;
        this.loop = new MultiThreadIoEventLoopGroup(
                1, Thread.ofPlatform().name("api server").daemon().factory(), EpollIoHandler.newFactory());
    }

    /** The name of the node whose identity is used; empty if the identity is not a node's. */
    Optional<String> nodeName() throws IOException {
        return identity().kubeconfig().nodeName();
    }

    /**
     * Sends a request and waits for the answer.
     *
     * @throws ApiException if the answer is no success
     * @throws IOException if there is no answer in time
     */
    JsonObject ask(ApiRequest request, Duration patience) throws IOException, InterruptedException {
        return parsed(askForText(request, patience));
    }

    private String askForText(ApiRequest request, Duration patience) throws IOException, InterruptedException {
        Deadline deadline = Deadline.in(patience);
        if (!connections.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new IOException("the API server is being asked too much already");
        }
        try {
            ApiAnswer answer = answer(request, deadline);
            if (answer.isUnauthorized()) {
                // The certificate may just have been replaced.
                forget();
                answer = answer(request, deadline);
            }
            return checked(request, answer);
        } finally {
            connections.release();
        }
    }

    /**
     * Sends several requests, some at a time, because the server needs longer for one than the way there takes. Waits
     * for all answers; each is the text of what {@link #ask} would return, or what it would throw.
     */
    List<Future<String>> askAll(List<ApiRequest> requests, Duration patience) throws InterruptedException {
        if (requests.size() < 2) {
            // A device that breaks changes one slice, which waits for no other threads.
            return requests.isEmpty() ? List.of() : List.of(asked(requests.getFirst(), patience));
        }
        try (ExecutorService asking = Executors.newFixedThreadPool(
                AT_A_TIME, Thread.ofVirtual().name("api request").factory())) {
            return asking.invokeAll(requests.stream()
                    .<Callable<String>>map(request -> () -> askForText(request, patience))
                    .toList());
        }
    }

    private Future<String> asked(ApiRequest request, Duration patience) throws InterruptedException {
        try {
            return CompletableFuture.completedFuture(askForText(request, patience));
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * Asks for a watch, and passes on each event until the server ends the watch.
     *
     * @param event called with the line of each event on the loop; it must return at once
     */
    void watch(ApiRequest request, Duration patience, Consumer<String> event) throws IOException, InterruptedException {
        Identity as = identity();
        try (ApiConnection connection = open(as, Deadline.in(patience))) {
            String ignored = checked(request, connection.follow(request, MAX_EVENT, event, Deadline.in(LONGEST_WATCH)));
        } catch (ApiException e) {
            throw e;
        } catch (IOException e) {
            throw named(as, e);
        }
    }

    private ApiAnswer answer(ApiRequest request, Deadline deadline) throws IOException, InterruptedException {
        Identity as = identity();
        Optional<ApiConnection> kept = kept(as);
        try {
            if (kept.isPresent()) {
                try {
                    return answer(kept.orElseThrow(), request, deadline);
                } catch (IOException e) {
                    // The server may have closed a connection that was kept, or a middlebox may have forgotten it.
                    if (deadline.isOver()) {
                        throw e;
                    }
                }
            }
            return answer(open(as, deadline), request, deadline);
        } catch (IOException e) {
            throw named(as, e);
        }
    }

    private ApiAnswer answer(ApiConnection connection, ApiRequest request, Deadline deadline)
            throws IOException, InterruptedException {
        boolean isKept = false;
        try {
            ApiAnswer answer = connection.call(request, MAX_ANSWER, deadline);
            isKept = answer.keepsConnection();
            return answer;
        } finally {
            if (isKept) {
                keep(connection);
            } else {
                connection.close();
            }
        }
    }

    private ApiConnection open(Identity as, Deadline deadline) throws IOException, InterruptedException {
        return ApiConnection.open(loop, as.kubeconfig(), as.tls(), deadline);
    }

    private static IOException named(Identity as, IOException e) {
        return new IOException("API server " + as.kubeconfig().server() + ": " + e.getMessage(), e);
    }

    private synchronized Identity identity() throws IOException {
        if (identity.filter(one -> one.kubeconfig().isCurrent()).isEmpty()) {
            identity = Optional.empty();
            Kubeconfig newest = Kubeconfig.read(file);
            identity = Optional.of(new Identity(newest, Tls.context(newest)));
        }
        return identity.orElseThrow();
    }

    private synchronized void forget() {
        identity = Optional.empty();
        idle.forEach(ApiConnection::close);
        idle.clear();
    }

    private synchronized Optional<ApiConnection> kept(Identity as) {
        while (!idle.isEmpty()) {
            ApiConnection connection = idle.pop();
            if (connection.isOpen() && connection.isOf(as.kubeconfig())) {
                return Optional.of(connection);
            }
            connection.close();
        }
        return Optional.empty();
    }

    /** The server closes idle connections after a while. */
    private synchronized void keep(ApiConnection connection) {
        if (idle.size() < AT_A_TIME) {
            idle.push(connection);
        } else {
            connection.close();
        }
    }

    private String checked(ApiRequest request, ApiAnswer answer) throws IOException {
        if (!answer.isSuccess()) {
            throw new ApiException(text(request, answer), answer.status(), answer.retryAfter());
        }
        return answer.body();
    }

    /**
     * The object in an answer.
     *
     * @throws IOException if there is none
     */
    static JsonObject parsed(String answer) throws IOException {
        return json(answer).orElseThrow(() -> new IOException("the API server answers with what is no JSON"));
    }

    private String text(ApiRequest request, ApiAnswer answer) {
        String said = json(answer.body())
                .map(status -> status.get("message"))
                .filter(JsonElement::isJsonPrimitive)
                .map(JsonElement::getAsString)
                .orElse("no reason is given");
        String reason = PlainText.of(said.length() > MAX_TEXT ? said.substring(0, MAX_TEXT) + "…" : said);
        return switch (answer.status()) {
            case 401 -> "the API server does not accept the identity in " + file + ": " + reason;
            case 403 ->
                "the identity in " + file + " is not allowed to " + request.right()
                        + ", by the Node authorizer or a role: " + reason;
            default -> "the API server answers " + answer.status() + " to " + request.right() + ": " + reason;
        };
    }

    private static Optional<JsonObject> json(String text) {
        try {
            return JsonParser.parseString(text) instanceof JsonObject json ? Optional.of(json) : Optional.empty();
        } catch (JsonParseException e) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        forget();
        loop.shutdownGracefully(0, CLOSE_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly(CLOSE_MILLIS);
    }
}
