package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.DraNode.VF0_NAME;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.api.kubelet.LogLines;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The watch of all claims on an API server that fails, or has more claims than a node can have. */
@Timeout(60)
final class ClaimWatchTest {

    private static final String LIST = "GET /apis/resource.k8s.io/v1/resourceclaims";

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    private final BlockingQueue<String> news = new LinkedBlockingQueue<>();
    private StrictApiServer server;
    private ApiServer api;

    @BeforeEach
    void open() throws Exception {
        server = closing.add(StrictApiServer.open());
        server.gate(objects -> objects.claims.rights.addAll(ClaimObjects.ROLE));
        api = closing.add(new ApiServer(TestIdentity.write(directory, server.port(), TestIdentity.NODE1), null));
    }

    private ClaimWatch start(Duration longestOutage) {
        ClaimWatch watch = closing.add(new ClaimWatch(api, "edgeplug.io", () -> true, true, this::hear, longestOutage));
        watch.start();
        return watch;
    }

    private void hear(ClaimNews all) {
        news.add(
                all.areAll()
                        ? "all " + all.claims().size()
                        : "changed " + all.claims().getFirst().name());
    }

    private String next() throws InterruptedException {
        return String.valueOf(news.poll(20, TimeUnit.SECONDS));
    }

    private long count(String request) {
        return server.requests().stream().filter(request::equals).count();
    }

    @Test
    void serverThatHasTooMuchToDoIsAskedForTheWatchAloneAndWhenItWants() throws Exception {
        ClaimWatch watch = start(Duration.ofMinutes(2));
        assertThat(next()).isEqualTo("all 0");
        server.awaitWatch();
        server.answerNext(429, "too many requests", Map.of("Retry-After", "1"));
        server.answerNext(503, "overloaded", Map.of());
        server.endWatches();
        server.put(TestClaims.awaited("mine", VF0_NAME));

        assertThat(next()).isEqualTo("changed default/mine");
        assertThat(count(LIST)).isEqualTo(1);
        assertThat(watch.obstacle()).isEmpty();
    }

    @Test
    void watchThatCannotGoOnFromItsVersionBeginsWithAList() throws Exception {
        ClaimWatch ignored = start(Duration.ofMinutes(2));
        assertThat(next()).isEqualTo("all 0");
        server.awaitWatch();
        server.answerNext(410, "too old resource version", Map.of());
        server.endWatches();

        assertThat(next()).isEqualTo("all 0");
    }

    @Test
    void outageThatLastsIsToldOnceAndEndsWithAList() throws Exception {
        ClaimWatch watch = start(Duration.ofMillis(100));
        assertThat(next()).isEqualTo("all 0");
        server.awaitWatch();
        try (LogLines log = LogLines.open()) {
            Stream.generate(() -> "etcd has no leader")
                    .limit(4)
                    .forEach(text -> server.answerNext(500, text, Map.of()));
            server.endWatches();
            assertThat(log.await("edgeplug.io: devices are prepared only when the kubelet asks"))
                    .hasSize(1);
            assertThat(watch.isFollowing()).isFalse();
            assertThat(watch.obstacle()).get().asString().contains("etcd has no leader");
            assertThat(next()).isEqualTo("all 0");
            assertThat(log.with("devices are prepared only when the kubelet asks"))
                    .hasSize(1);
        }
        assertThat(watch.obstacle()).isEmpty();
        assertThat(watch.isFollowing()).isTrue();
    }

    @Test
    void moreClaimsThanANodeCanHaveAreNotKept() throws Exception {
        server.gate(objects -> {
            for (int i = 0; i < 4200; i++) {
                JsonObject claim = TestClaims.awaited("claim" + i, VF0_NAME);
                objects.claims.put(claim);
            }
        });
        ClaimWatch ignored = start(Duration.ofMinutes(2));

        assertThat(next()).isEqualTo("all 4096");
    }
}
