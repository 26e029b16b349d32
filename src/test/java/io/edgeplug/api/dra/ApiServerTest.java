package io.edgeplug.api.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.gson.JsonArray;
import io.edgeplug.api.dra.SliceWatch.SliceEvent;
import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.MemoryBudget;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The identity that the API server is asked with, and what its answers are made of. */
@Timeout(60)
final class ApiServerTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final ApiRequest NODE = ApiRequest.node("node1");

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    private StrictApiServer server;
    private ApiServer api;

    @BeforeEach
    void open() throws Exception {
        server = closing.add(StrictApiServer.open());
        api = closing.add(new ApiServer(TestIdentity.write(directory, server.port(), TestIdentity.NODE1), null));
    }

    private String uid() throws IOException, InterruptedException {
        return api.ask(NODE, ApiReading.uid(), PATIENCE);
    }

    private String failure(ApiRequest request) {
        IOException failure =
                catchThrowableOfType(IOException.class, () -> api.ask(request, ApiReading.nothing(), PATIENCE));
        return String.valueOf(failure.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {TestIdentity.NODE1, TestIdentity.ROTATED, TestIdentity.RSA, TestIdentity.ED25519})
    void keyIsReadInEachFormThatKubeletsAndTheirToolsWrite(String certificate) throws Exception {
        TestIdentity.rotate(directory, certificate);

        assertThat(uid()).isEqualTo("uid-of-node1");
        assertThat(api.nodeName()).isEqualTo("node1");
    }

    @Test
    void certificateThatRotatesIsUsedFromTheNextRequestOn() throws Exception {
        assertThat(uid()).isEqualTo("uid-of-node1");
        assertThat(uid()).isEqualTo("uid-of-node1");
        TestIdentity.rotate(directory, TestIdentity.ROTATED);
        assertThat(uid()).isEqualTo("uid-of-node1");

        assertThat(server.callers()).hasSize(3);
        assertThat(server.callers().get(0))
                .isEqualTo(server.callers().get(1))
                .isNotEqualTo(server.callers().get(2));
    }

    @Test
    void identityIsReadAgainOnceWhenTheServerDoesNotAcceptIt() throws Exception {
        server.answerNext(401, "Unauthorized", Map.of());
        assertThat(uid()).isEqualTo("uid-of-node1");

        server.answerNext(401, "Unauthorized", Map.of());
        server.answerNext(401, "Unauthorized", Map.of());
        assertThat(failure(NODE)).contains("does not accept the identity in " + directory.resolve("kubelet.conf"));
    }

    /** The daemon ends although a thread still asks. */
    @Test
    void requestAfterTheEndFailsWithoutALineInTheLog() throws Exception {
        assertThat(uid()).isEqualTo("uid-of-node1");
        api.close();
        List<LogRecord> logged = new CopyOnWriteArrayList<>();
        Logger netty = Logger.getLogger("io.netty.util.concurrent.DefaultPromise.rejectedExecution");
        netty.setFilter(line -> !logged.add(line));

        assertThat(failure(NODE)).contains("API server https://");
        netty.setFilter(null);
        assertThat(logged).isEmpty();
    }

    @Test
    void connectionWhoseLoopHasEndedCarriesNoRequest() throws Exception {
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        Kubeconfig identity = new KubeconfigReading(directory.resolve("kubelet.conf"), null).read();
        ApiConnection connection = ApiConnection.open(loop, identity, identity.tls(), Deadline.in(PATIENCE));
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();

        assertThatThrownBy(() -> connection.call(NODE, Deadline.in(PATIENCE), Deadline.in(PATIENCE)))
                .isInstanceOf(IOException.class);
    }

    @Test
    void refusalNamesTheRightThatIsMissing() {
        assertThat(failure(ApiRequest.claim("default", "mine")))
                .contains("is not allowed to get resourceclaims in API group resource.k8s.io", "no relationship found");
    }

    @Test
    void listWithoutTheNodeIsRefusedAsByTheRealServer() {
        assertThat(failure(new ApiRequest(
                        "GET", "/apis/resource.k8s.io/v1/resourceslices", Optional.empty(), "list resourceslices")))
                .contains("is not allowed to list resourceslices");
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "600, 300"})
    void pauseThatTheServerWantsIsHeededUpToSomeMinutes(int wanted, int heeded) {
        server.answerNext(429, "too many", Map.of("Retry-After", String.valueOf(wanted)));
        ApiException refusal =
                catchThrowableOfType(ApiException.class, () -> api.ask(NODE, ApiReading.nothing(), PATIENCE));

        assertThat(refusal.retryAfter()).isEqualTo(Duration.ofSeconds(heeded));
    }

    @ParameterizedTest
    @CsvSource({"404, true", "409, true", "410, true", "500, false", "422, false"})
    void answerThatANewLookHelpsAgainstIsTold(int status, boolean isOutdated) {
        server.answerNext(status, "so it is", Map.of());
        ApiException refusal =
                catchThrowableOfType(ApiException.class, () -> api.ask(NODE, ApiReading.nothing(), PATIENCE));

        assertThat(refusal.isOutdated()).isEqualTo(isOutdated);
        assertThat(refusal).hasMessageContaining("so it is");
    }

    @Test
    void messageOfTheServerIsOnePlainLineOfBoundedLength() {
        server.answerNext(500, "one\ntwo\u001b[31m" + "x".repeat(10_000), Map.of());

        assertThat(failure(NODE)).contains("one?two?[31m").hasSizeLessThan(600);
    }

    @Test
    void headersWithoutAnEndAreRefused() throws Exception {
        Map<String, String> headers = new HashMap<>();
        for (int i = 0; i < 2000; i++) {
            headers.put("X-" + i, "x".repeat(100));
        }
        server.plantHeaders(headers);
        server.answerRaw("GET /api/v1/nodes/node1", out -> {});

        assertThat(failure(NODE))
                .startsWith("API server https://127.0.0.1:" + server.port() + ": ")
                .contains("16384");
    }

    @Test
    void serverThatCannotBeReachedIsNamed() throws Exception {
        server.close();

        assertThat(failure(NODE)).contains("API server https://127.0.0.1:" + server.port(), "Connection refused");
    }

    @Test
    void serverThatIsBackIsSpokenToAgain() throws Exception {
        assertThat(uid()).isEqualTo("uid-of-node1");
        int port = server.port();
        server.close();
        assertThat(failure(NODE)).contains("API server");
        StrictApiServer back = closing.add(StrictApiServer.open(port));

        assertThat(uid()).isEqualTo("uid-of-node1");
        assertThat(back.requests()).hasSize(1);
    }

    @Test
    void serverOfAnotherAuthorityIsNotSpokenTo() throws Exception {
        Files.writeString(directory.resolve("ca.crt"), TestIdentity.pem(TestIdentity.RSA));

        assertThat(failure(NODE)).contains("API server");
        assertThat(server.requests()).isEmpty();
    }

    @Test
    void identityThatCannotBeReadIsToldWithItsFile() throws Exception {
        Files.delete(directory.resolve("current.pem"));
        assertThat(failure(NODE)).isEqualTo(directory.resolve("current.pem") + ": no such file");

        Files.writeString(directory.resolve("current.pem"), TestIdentity.pem("ca.pem"));
        assertThat(failure(NODE)).contains("kubelet.conf: its client certificate has no private key");

        Files.writeString(directory.resolve("kubelet.conf"), "clusters: [\n");
        assertThat(failure(NODE)).contains("kubelet.conf: is not YAML");
    }

    /** Reads events until the server ends the watch, and reports each slice that was made. */
    private FutureTask<Boolean> watch(Duration patience, CountDownLatch made) throws Exception {
        FutureTask<Boolean> watching = new FutureTask<>(() -> {
            ApiRequest request = ApiRequest.watchSlices("node1", "edgeplug.io", "1000");
            api.watch(request, patience, 1 << 20, 1 << 20, json -> {
                if (SliceEvent.read(json).type().equals("ADDED")) {
                    made.countDown();
                }
                return true;
            });
            return true;
        });
        Thread ignored = Thread.ofVirtual().start(watching);
        server.awaitWatch();
        String slice = Slice.json(
                new Slice.Place("edgeplug.io", "node1", "uid-of-node1"),
                0,
                1,
                1,
                SliceContent.of(SliceContent.DEVICES, new JsonArray()),
                null);
        assertThat(api.ask(ApiRequest.create(slice), ApiReading.nothing(), PATIENCE))
                .isTrue();
        return watching;
    }

    @Test
    void watchPassesOnEachEventUntilTheServerEndsIt() throws Exception {
        CountDownLatch made = new CountDownLatch(1);
        FutureTask<Boolean> watching = watch(PATIENCE, made);

        assertThat(made.await(20, TimeUnit.SECONDS)).isTrue();
        server.endWatches();
        assertThat(watching.get(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void eventIsNotReadWhileOthersNeedTheMemory() throws Exception {
        CountDownLatch made = new CountDownLatch(1);
        try (MemoryBudget.Share ignored = MemoryBudget.OF_PROCESS.take(8 << 20, PATIENCE)) {
            FutureTask<Boolean> watching = watch(Duration.ofMillis(500), made);

            assertThatThrownBy(() -> watching.get(20, TimeUnit.SECONDS)).hasMessageContaining("others need the memory");
        }
        assertThat(made.getCount()).isOne();
    }
}
