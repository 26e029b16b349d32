package io.edgeplug.api.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * A small API server for the requests of edgeplug. It refuses the requests that the real one refused. Slices and claims
 * are in memory.
 */
final class StrictApiServer implements AutoCloseable {

    private final HttpsServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ApiObjects objects = new ApiObjects();
    private final Deque<Answer> planned = new ArrayDeque<>();
    private final List<String> requests = new ArrayList<>();
    private final List<String> callers = new ArrayList<>();

    record Answer(int status, String message, Map<String, String> headers) {}

    private final Map<String, RawBody> raw = new HashMap<>();
    private final Map<String, String> plantedHeaders = new ConcurrentHashMap<>();
    private final Map<String, Runnable> earlier = new ConcurrentHashMap<>();

    /** Writes the body of an answer, whatever it is. */
    interface RawBody {
        void write(OutputStream out) throws IOException;
    }

    private StrictApiServer(HttpsServer server) {
        this.server = server;
    }

    static StrictApiServer open() throws IOException, GeneralSecurityException {
        return open(0);
    }

    static StrictApiServer open(int port) throws IOException, GeneralSecurityException {
        HttpsServer https = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        SSLContext tls = TestIdentity.tlsOfServer();
        https.setHttpsConfigurator(new HttpsConfigurator(tls) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters wanted = tls.getDefaultSSLParameters();
                wanted.setNeedClientAuth(true);
                parameters.setSSLParameters(wanted);
            }
        });
        StrictApiServer api = new StrictApiServer(https);
        https.setExecutor(api.threads);
        https.createContext("/", api::handle);
        https.start();
        return api;
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** Gives this answer to the next request. */
    void answerNext(int status, String message, Map<String, String> headers) {
        locked(() -> planned.add(new Answer(status, message, headers)));
    }

    /** Gives this answer to each request of that method and path, and {@code watch} behind them. */
    void answerRaw(String request, RawBody body) {
        locked(() -> raw.put(request, body));
    }

    /** Runs this before it looks at the next request of that method and path. */
    void before(String request, Runnable news) {
        earlier.put(request, news);
    }

    void answerAsUsual(String request) {
        locked(() -> raw.remove(request));
    }

    /** Gives these headers with answers that are planted. */
    void plantHeaders(Map<String, String> headers) {
        plantedHeaders.putAll(headers);
    }

    /** Makes it behave like an older version, or one with other feature gates. */
    void gate(Consumer<ApiObjects> gates) {
        locked(() -> gates.accept(objects));
    }

    /** Deletes the node and makes it again. */
    void replaceNode(String uid) {
        locked(() -> objects.nodeUid = uid);
    }

    /** Adds a claim, as the scheduler leaves it. */
    void put(JsonObject claim) {
        locked(() -> objects.claims.put(claim));
    }

    /** Deletes slices, as somebody else may. */
    void deleteSlices(Predicate<String> name) {
        locked(() -> List.copyOf(objects.slices.keySet()).stream().filter(name).forEach(objects::remove));
    }

    /** Changes a slice, as somebody else may. */
    void change(String name, JsonArray devices) {
        locked(() -> objects.change(name, devices));
    }

    /** Ends all watches. */
    void endWatches() {
        locked(() -> Stream.concat(objects.watches.stream(), objects.claims.watches())
                .forEach(watch -> watch.add(new JsonObject())));
    }

    /** A claim in the default namespace as it is now; an empty one if there is none. */
    JsonObject claim(String name) {
        return read(() -> objects.claims.find("default/" + name).orElseGet(JsonObject::new));
    }

    /** Waits up to 20 s until a claim is as wanted. */
    JsonObject awaitClaim(String name, Predicate<JsonObject> wanted) throws InterruptedException {
        try {
            List<JsonObject> ignored = await(any -> wanted.test(claim(name)));
        } catch (AssertionError e) {
            throw new AssertionError("claim is " + claim(name), e);
        }
        return claim(name);
    }

    List<JsonObject> slices() {
        return read(
                () -> objects.slices.values().stream().map(JsonObject::deepCopy).toList());
    }

    /** The requests so far: method and path. */
    List<String> requests() {
        return read(() -> List.copyOf(requests));
    }

    /** The serial numbers of the certificates that callers have shown, in order. */
    List<String> callers() {
        return read(() -> List.copyOf(callers));
    }

    /** Waits up to 20 s until the slices are as wanted. */
    List<JsonObject> await(Predicate<List<JsonObject>> wanted) throws InterruptedException {
        long left = TimeUnit.SECONDS.toNanos(20);
        lock.lock();
        try {
            while (!wanted.test(slices())) {
                if (left <= 0) {
                    throw new AssertionError("slices are " + slices() + " after " + requests);
                }
                left = changed.awaitNanos(left);
            }
            return slices();
        } finally {
            lock.unlock();
        }
    }

    /** Waits up to 20 s until somebody watches. */
    void awaitWatch() throws InterruptedException {
        List<JsonObject> ignored = await(all ->
                !objects.watches.isEmpty() || objects.claims.watches().findAny().isPresent());
    }

    private <T> T read(Supplier<T> reading) {
        lock.lock();
        try {
            return reading.get();
        } finally {
            lock.unlock();
        }
    }

    private void locked(Runnable action) {
        boolean ignored = read(() -> {
            action.run();
            changed.signalAll();
            return true;
        });
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String path = exchange.getRequestURI().getPath();
            Map<String, String> query = HttpAnswers.query(exchange);
            boolean isWatch = query.containsKey("watch");
            X509Certificate caller =
                    (X509Certificate) ((HttpsExchange) exchange).getSSLSession().getPeerCertificates()[0];
            Optional.ofNullable(earlier.remove(exchange.getRequestMethod() + " " + path))
                    .ifPresent(Runnable::run);
            Answer problem;
            RawBody planted;
            JsonObject answer = new JsonObject();
            lock.lock();
            try {
                String request = exchange.getRequestMethod() + " " + path + (isWatch ? " watch" : "");
                requests.add(request);
                planted = raw.get(request);
                callers.add(caller.getSerialNumber().toString());
                problem = planned.poll();
                if (problem == null) {
                    answer = isWatch
                            ? objects.refusalOfWatch(path)
                            : objects.answer(exchange.getRequestMethod(), path, query, body);
                    problem = answer.has("problem")
                            ? new Answer(answer.get("problem").getAsInt(), Json.text(answer, "message"), Map.of())
                            : null;
                }
                changed.signalAll();
            } finally {
                lock.unlock();
            }
            if (planted != null) {
                plantedHeaders.forEach(exchange.getResponseHeaders()::add);
                exchange.sendResponseHeaders(200, 0);
                planted.write(exchange.getResponseBody());
            } else if (problem != null) {
                HttpAnswers.refuse(exchange, problem);
            } else if (isWatch) {
                watch(exchange, query);
            } else {
                HttpAnswers.send(exchange, 200, answer);
            }
        }
    }

    private void watch(HttpExchange exchange, Map<String, String> query) throws IOException {
        BlockingQueue<JsonObject> events = new LinkedBlockingQueue<>();
        long since = Long.parseLong(query.getOrDefault("resourceVersion", "0"));
        // Events of slices since that version are not kept.
        boolean isPast = read(() -> {
            changed.signalAll();
            return objects.watch(
                    events, ClaimObjects.isOfAllClaims(exchange.getRequestURI().getPath()), since);
        });
        exchange.sendResponseHeaders(200, 0);
        try {
            exchange.getResponseBody().flush();
            while (!isPast) {
                JsonObject event = events.take();
                if (event.isEmpty()) {
                    return;
                }
                exchange.getResponseBody().write((event + "\n").getBytes(StandardCharsets.UTF_8));
                exchange.getResponseBody().flush();
            }
            exchange.getResponseBody()
                    .write("{\"type\":\"ERROR\",\"object\":{\"code\":410}}\n".getBytes(StandardCharsets.UTF_8));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            locked(() -> objects.end(events));
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
