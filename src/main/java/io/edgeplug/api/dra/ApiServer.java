package io.edgeplug.api.dra;

import com.google.gson.stream.JsonToken;
import io.edgeplug.api.dra.ApiExchanges.ApiAnswer;
import io.edgeplug.system.files.ForeignJson;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.flow.MemoryBudget;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The cluster's API server, asked with the identity of a kubeconfig. Its answers are limited in time and size.
 *
 * <p>The kubelet's certificate rotates. So the identity is read again whenever one of its files has changed, and when
 * the server does not know it. Any thread may ask, and then waits.
 */
final class ApiServer implements AutoCloseable {

    /** For all requests that devices or pods wait for. The kubelet waits for 45 s, and devices need most of that. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    /** What may follow the JSON. */
    private static final int MAX_REST = 1024;

    /** Slightly more than the number of pods that start at a time. */
    private static final int MAX_CONNECTIONS = 8;

    /** So that slices leave connections for claims. */
    private static final int AT_A_TIME = 4;

    /** The server itself ends a watch earlier. */
    private static final Duration LONGEST_WATCH = Duration.ofMinutes(6);

    private static final long CLOSE_MILLIS = 1000;

    private final Path file;
    private final @Nullable String configuredName;
    private final EventLoopGroup loop;
    private final Semaphore connections = new Semaphore(MAX_CONNECTIONS);
    private final Deque<ApiConnection> idle = new ArrayDeque<>();
    private @Nullable Identity identity;

    /** The files of the last reading of an identity, which may have failed. */
    private FileStamps lastRead = new FileStamps();

    /** The identity of requests. */
    private record Identity(Kubeconfig kubeconfig, SSLContext tls) {}

    /**
     * The API server of a node.
     *
     * @param nodeName the name of the node; null if the identity has it
     */
    ApiServer(Path kubeconfig, @Nullable String nodeName) {
        this.file = kubeconfig;
        this.configuredName = nodeName;
        this.loop = new MultiThreadIoEventLoopGroup(
                1, Front.DRA.platform("api server").factory(), EpollIoHandler.newFactory());
    }

    /** The file with the identity. */
    Path file() {
        return file;
    }

    /** The name of this node, which is also that of its pool. */
    String nodeName() throws IOException {
        Optional<String> name = configuredName != null
                ? Optional.of(configuredName)
                : identity().kubeconfig().nodeName();
        return name.orElseThrow(() -> new IOException("the identity is no node's, so [dra] node_name is needed"));
    }

    /** Asks with the usual patience. */
    <T> T ask(ApiRequest request, ApiReading<T> reading) throws IOException, InterruptedException {
        return ask(request, reading, PATIENCE);
    }

    /**
     * Sends a request, waits for the answer and reads it.
     *
     * @throws ApiException if the answer is no success
     * @throws IOException if there is no answer in time, or it is of another form
     */
    <T> T ask(ApiRequest request, ApiReading<T> reading, Duration patience) throws IOException, InterruptedException {
        Deadline deadline = Deadline.in(patience);
        if (!connections.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new IOException("the API server is being asked too much already");
        }
        try {
            Answered answered = answer(request, deadline);
            if (answered.answer().isUnauthorized()) {
                // The certificate may just have been replaced.
                answered.connection().close();
                forget();
                answered = answer(request, deadline);
            }
            return read(request, answered, reading, deadline);
        } finally {
            connections.release();
        }
    }

    /** An answer, and the connection that it comes from. */
    private record Answered(ApiAnswer answer, ApiConnection connection) {}

    private <T> T read(ApiRequest request, Answered answered, ApiReading<T> reading, Deadline deadline)
            throws IOException, InterruptedException {
        boolean isKept = false;
        try (MemoryBudget.Share ignored = MemoryBudget.OF_PROCESS.take(reading.memory(), deadline.left())) {
            ApiAnswer answer = answered.answer();
            checkSuccess(request, answer);
            T read = reading.parse().read(answer.body());
            // The connection carries another answer only after the end of this one.
            isKept = answer.keepsConnection() && answer.body().readNBytes(MAX_REST).length < MAX_REST;
            return read;
        } catch (InterruptedIOException e) {
            throw interrupted(e);
        } finally {
            if (isKept) {
                keep(answered.connection());
            } else {
                answered.connection().close();
            }
        }
    }

    private static InterruptedException interrupted(InterruptedIOException e) {
        boolean ignored = Thread.interrupted();
        InterruptedException interrupted = new InterruptedException(e.getMessage());
        interrupted.initCause(e);
        return interrupted;
    }

    /**
     * Sends several requests, some at a time, because the server needs longer for one than the way there takes. Waits
     * for all answers; each is what {@link #ask} would return or throw.
     */
    <T> List<Future<T>> askAll(Map<ApiRequest, ApiReading<T>> requests) throws InterruptedException {
        try (ExecutorService asking = Executors.newFixedThreadPool(
                AT_A_TIME, Front.DRA.virtual("api request").factory())) {
            return asking.invokeAll(requests.entrySet().stream()
                    .<Callable<T>>map(one -> () -> ask(one.getKey(), one.getValue()))
                    .toList());
        }
    }

    /**
     * Asks for a watch, and has each event read until the server ends the watch or the reader does.
     *
     * @param most how many characters an event may have
     * @param memory an upper bound of the memory that reading one takes, in bytes
     * @param event reads the next event from its JSON, and returns whether the watch goes on
     */
    void watch(
            ApiRequest request, Duration patience, int most, int memory, ApiReading.Parse<ForeignJson, Boolean> event)
            throws IOException, InterruptedException {
        Identity as = identity();
        Deadline deadline = Deadline.in(patience);
        try (ApiConnection connection = open(as, deadline)) {
            ApiAnswer answer = connection.call(request, deadline, Deadline.in(LONGEST_WATCH));
            checkSuccess(request, answer);
            ForeignJson json = ForeignJson.of(answer.body(), most, ApiReading.MAX_WORD);
            boolean goesOn = true;
            json.expectNext();
            while (goesOn && json.peek() != JsonToken.END_DOCUMENT) {
                try (MemoryBudget.Share ignored = MemoryBudget.OF_PROCESS.take(memory, patience)) {
                    goesOn = event.read(json);
                }
                json.expectNext();
            }
        } catch (ApiException e) {
            throw e;
        } catch (InterruptedIOException e) {
            throw interrupted(e);
        } catch (IOException | IllegalStateException e) {
            throw named(as, e);
        }
    }

    private Answered answer(ApiRequest request, Deadline deadline) throws IOException, InterruptedException {
        Identity as = identity();
        ApiConnection kept = kept(as);
        try {
            if (kept != null) {
                try {
                    return answer(kept, request, deadline);
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

    private static Answered answer(ApiConnection connection, ApiRequest request, Deadline deadline)
            throws IOException, InterruptedException {
        try {
            return new Answered(connection.call(request, deadline, deadline), connection);
        } catch (IOException | InterruptedException e) {
            connection.close();
            throw e;
        }
    }

    private ApiConnection open(Identity as, Deadline deadline) throws IOException, InterruptedException {
        return ApiConnection.open(loop, as.kubeconfig(), as.tls(), deadline);
    }

    private static IOException named(Identity as, Exception e) {
        return new IOException("API server " + as.kubeconfig().address() + ": " + e.getMessage(), e);
    }

    private synchronized Identity identity() throws IOException {
        Identity known = identity;
        if (known == null || !lastRead.areCurrent()) {
            identity = null;
            KubeconfigReading reading = new KubeconfigReading(file, null);
            lastRead = reading.stamps();
            Kubeconfig newest = reading.read();
            known = new Identity(newest, newest.tls());
            identity = known;
        }
        return known;
    }

    /** Whether a file of the identity has changed, so that a request that has failed may succeed now. */
    synchronized boolean hasNews() {
        return !lastRead.areCurrent();
    }

    private synchronized void forget() {
        identity = null;
        idle.forEach(ApiConnection::close);
        idle.clear();
    }

    private synchronized @Nullable ApiConnection kept(Identity as) {
        while (!idle.isEmpty()) {
            ApiConnection connection = idle.pop();
            if (connection.isOpen() && connection.isOf(as.kubeconfig())) {
                return connection;
            }
            connection.close();
        }
        return null;
    }

    /** The server closes idle connections after a while. */
    private synchronized void keep(ApiConnection connection) {
        if (idle.size() < AT_A_TIME) {
            idle.push(connection);
        } else {
            connection.close();
        }
    }

    private void checkSuccess(ApiRequest request, ApiAnswer answer) throws IOException {
        if (!answer.isSuccess()) {
            throw ApiException.of(request, answer, file);
        }
    }

    @Override
    public void close() {
        forget();
        loop.shutdownGracefully(0, CLOSE_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly(CLOSE_MILLIS);
    }
}
