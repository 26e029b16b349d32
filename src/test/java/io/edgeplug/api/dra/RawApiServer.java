package io.edgeplug.api.dra;

import com.google.gson.JsonObject;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.edgeplug.proto.dra.v1.Claim;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** An API server that answers whatever it is told to; for tests of other packages. */
public final class RawApiServer implements AutoCloseable {

    private final HttpsServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicInteger requests = new AtomicInteger();

    /** Answers a request, such as {@code GET /api/v1/nodes/node1}. */
    public interface Answering {
        void answer(String request, HttpExchange exchange) throws IOException;
    }

    private RawApiServer(HttpsServer server, Answering answering) throws IOException, GeneralSecurityException {
        this.server = server;
        server.setHttpsConfigurator(new HttpsConfigurator(TestIdentity.tlsOfServer()));
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            requests.incrementAndGet();
            try (exchange) {
                answering.answer(
                        exchange.getRequestMethod() + " "
                                + exchange.getRequestURI().getPath(),
                        exchange);
            }
        });
    }

    public static RawApiServer open(Answering answering) throws IOException, GeneralSecurityException {
        HttpsServer https = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        RawApiServer api = new RawApiServer(https, answering);
        https.start();
        return api;
    }

    /** Writes a kubelet's kubeconfig for it, as {@code kubelet.conf}. */
    public void writeIdentity(Path directory) throws IOException {
        Path ignored = TestIdentity.write(directory, server.getAddress().getPort(), TestIdentity.NODE1);
    }

    /** How many requests have come. */
    public int requests() {
        return requests.get();
    }

    /** A claim as the kubelet names it. */
    public static Claim named(String name) {
        return DraKubelet.claim(name);
    }

    /** The same claim as an API server has it, with that device of {@code node1}. */
    public static JsonObject claim(String name, String device) {
        return TestClaims.allocated(name, device);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
