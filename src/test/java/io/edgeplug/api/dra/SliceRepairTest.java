package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.TestSlices.names;
import static io.edgeplug.api.dra.TestSlices.pools;
import static io.edgeplug.api.dra.TestSlices.vfs;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.edgeplug.api.kubelet.LogLines;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The slices are made again as they should be, whatever others do to them and whatever the API server refuses. */
@Timeout(60)
final class SliceRepairTest extends OnApiServer {

    @Test
    void kubeconfigThatIsMendedIsTakenUp() throws Exception {
        Path file = directory.resolve("kubelet.conf");
        String sound = Files.readString(file);
        Files.writeString(file, "no kubeconfig");
        offer(vfs(1));
        publisher.start();
        publisher.want();
        while (publisher
                .status()
                .problem()
                .filter(one -> one.startsWith(file.toString()))
                .isEmpty()) {
            Thread.onSpinWait();
        }

        Files.writeString(file, sound);

        assertThat(server.await(slices -> !slices.isEmpty())).hasSize(1);
    }

    @Test
    void slicesThatSomebodyDeletesAreMadeAgain() throws Exception {
        assertThat(published(vfs(150))).hasSize(3);
        server.awaitWatch();
        for (String index : List.of("0001", "")) {
            server.deleteSlices(name -> name.startsWith(index));
            assertThat(pools(server.await(slices ->
                            names(slices).size() == 150 && pools(slices).size() == 1)))
                    .hasSize(1);
        }
    }

    @Test
    void sliceThatSomebodyChangesIsMadeAsItWas() throws Exception {
        String name = Json.text(Json.object(published(vfs(3)).getFirst(), "metadata"), "name");
        server.awaitWatch();
        server.change(name, new JsonArray());

        assertThat(names(server.await(slices -> names(slices).size() == 3))).hasSize(3);
    }

    @Test
    void failuresAreTriedAgainAndPausesHeeded() throws Exception {
        server.answerNext(500, "etcd is away", Map.of());
        server.answerNext(403, "not yet", Map.of());
        server.answerNext(429, "slowly", Map.of("Retry-After", "1"));

        assertThat(published(vfs(1))).hasSize(1);
    }

    @Test
    void pauseOfTheServerIsWaitedOnce() throws Exception {
        server.answerNext(429, "slowly", Map.of("Retry-After", "8"));
        long began = System.nanoTime();

        assertThat(published(vfs(1))).hasSize(1);

        // Twice would be 16 s.
        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .isBetween(Duration.ofSeconds(8), Duration.ofMillis(15_900));
    }

    @Test
    void conflictIsFollowedByANewLook() throws Exception {
        assertThat(published(vfs(3))).hasSize(1);
        server.awaitWatch();
        server.answerNext(409, "the object has been modified", Map.of());
        offer(vfs(4));

        assertThat(names(server.await(slices -> names(slices).size() == 4))).hasSize(4);
    }

    /** The Node authorizer forbids a node to change a slice that is not there any more. */
    @Test
    void sliceThatIsForbiddenOnceIsNoMissingRight() throws Exception {
        assertThat(published(vfs(3))).hasSize(1);
        server.awaitWatch();
        try (LogLines log = LogLines.open()) {
            server.answerNext(403, "can only update a slice of this node", Map.of());
            offer(vfs(4));

            assertThat(names(server.await(slices -> names(slices).size() == 4))).hasSize(4);
            assertThat(log.with("devices not published")).isEmpty();
        }
    }

    @Test
    void watchThatEndsIsFollowedByAnother() throws Exception {
        assertThat(published(vfs(3))).hasSize(1);
        server.awaitWatch();
        server.endWatches();
        List<JsonObject> ignored =
                server.await(slices -> count("GET /apis/resource.k8s.io/v1/resourceslices watch") >= 2);
        server.awaitWatch();
        server.deleteSlices(name -> true);

        assertThat(names(server.await(slices -> names(slices).size() == 3))).hasSize(3);
    }

    @Test
    void serverThatEndsEachWatchAtOnceIsAskedLessAndLessOften() throws Exception {
        String watch = "GET /apis/resource.k8s.io/v1/resourceslices watch";
        server.answerRaw(watch, out -> {});
        long began = System.nanoTime();
        assertThat(published(vfs(1))).hasSize(1);

        List<JsonObject> ignored = server.await(slices -> count(watch) >= 4);

        // after 250, 500 and 1000 ms
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(1700));
    }

    @Test
    void sliceThatIsMadeAgainBelongsToTheNodeAsItIsNow() throws Exception {
        assertThat(published(vfs(1))).hasSize(1);
        server.awaitWatch();
        server.replaceNode("uid-of-the-next");
        server.deleteSlices(name -> true);

        assertThat(server.await(slices -> slices.toString().contains("uid-of-the-next")))
                .hasSize(1);
    }
}
