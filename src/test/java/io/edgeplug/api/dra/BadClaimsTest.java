package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.DraKubelet.claim;
import static io.edgeplug.api.dra.DraNode.VF0_NAME;
import static io.edgeplug.api.dra.TestClaims.devices;
import static io.edgeplug.api.dra.TestClaims.result;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.edgeplug.api.kubelet.LogLines;
import io.edgeplug.node.supply.Failures;
import io.edgeplug.proto.dra.v1.Claim;
import io.edgeplug.proto.dra.v1.NodePrepareResourceResponse;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Claims that no scheduler would leave like this. Each is refused with a sentence and has no effect. */
@Timeout(90)
final class BadClaimsTest extends OnDraNode {

    /** As many as one may have. */
    private static final int IN_A_CALL = 256;

    private String errorWith(Consumer<JsonObject> mistake) {
        JsonObject claim = TestClaims.allocated("bad", VF0_NAME);
        mistake.accept(claim);
        node.server.put(claim);
        return error("bad");
    }

    @Test
    void badClaimLeavesTheOthersAlone() {
        node.allocate("good", VF0_NAME);
        node.allocate("unknown", "0000-99-00-0");
        Map<String, NodePrepareResourceResponse> answer =
                node.kubelet.prepare(claim("good"), claim("unknown"), claim("nobodys"));

        assertThat(answer.get("uid-of-good"))
                .satisfies(one -> assertThat(one.getError()).isEmpty());
        assertThat(answer.get("uid-of-unknown"))
                .satisfies(
                        one -> assertThat(one.getError())
                                .isEqualTo(
                                        "Claim default/unknown cannot be prepared: there is no device 0000-99-00-0 on this node now"));
        assertThat(answer.get("uid-of-nobodys"))
                .satisfies(one -> assertThat(one.getError()).contains("no relationship found"));
    }

    @Test
    void claimsThatFailAgainAndAgainDoNotFillTheLog() throws Exception {
        Claim[] claims = IntStream.range(0, 150)
                .mapToObj(i -> claim("nobodys").toBuilder().setUid("uid-" + i).build())
                .toArray(Claim[]::new);

        try (LogLines log = LogLines.open()) {
            for (int call = 0; call < 2; call++) {
                assertThat(node.kubelet.prepare(claims).values())
                        .allSatisfy(one -> assertThat(one.getError()).isNotEmpty());
            }
            assertThat(log.with("Claim default/nobodys cannot be prepared")).hasSize(100);
        }
    }

    /** Each claim that waits for the API server has a thread. */
    @Test
    void callForMoreClaimsThanMayWaitIsRefused() {
        CountDownLatch refused = new CountDownLatch(1);
        node.server.answerRaw(
                "GET /apis/resource.k8s.io/v1/namespaces/default/resourceclaims/slow", out -> await(refused));
        Claim[] claims = IntStream.range(0, IN_A_CALL)
                .mapToObj(i -> claim("slow").toBuilder().setUid("uid-" + i).build())
                .toArray(Claim[]::new);
        Queue<Status.Code> refusals = new ConcurrentLinkedQueue<>();

        try (ExecutorService kubelet = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i <= DraService.MAX_CLAIMS / IN_A_CALL; i++) {
                kubelet.execute(() -> {
                    try {
                        Map<String, NodePrepareResourceResponse> ignored = node.kubelet.prepare(claims);
                    } catch (StatusRuntimeException e) {
                        refusals.add(e.getStatus().getCode());
                        refused.countDown();
                    }
                });
            }
        }

        assertThat(refusals).containsExactly(Status.Code.RESOURCE_EXHAUSTED);
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            boolean ignored = latch.await(DraNode.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Test
    void refusedClaimIsInTheStatusUntilItIsPreparedOrReleased() {
        node.allocate("one", "0000-99-00-0");
        node.allocate("two", "0000-99-00-1");
        assertThat(error("one")).contains("no device 0000-99-00-0");
        assertThat(error("two")).contains("no device 0000-99-00-1");
        assertThat(node.status().failures())
                .extracting(one -> one.kind() + " " + one.subjects())
                .containsExactly("CLAIM [default/one]", "CLAIM [default/two]");

        node.allocate("one", VF0_NAME);
        prepare("one");
        assertThat(node.kubelet.unprepare("two").getError()).isEmpty();

        assertThat(node.status().failures()).isEmpty();
        assertThat(node.status().failed()).containsEntry(Failures.Kind.CLAIM, 2L);
    }

    @Test
    void claimThatIsNotAsItMustBeIsRefusedWithASentence() {
        assertThat(errorWith(claim -> Json.object(claim, "metadata").addProperty("uid", "other")))
                .contains("it was deleted and made again");
        assertThat(errorWith(claim -> Json.object(claim, "status").remove("allocation")))
                .contains("no devices were allocated to it");
        assertThat(errorWith(claim -> result(claim).addProperty("driver", "other.example.com")))
                .contains("no device of the driver edgeplug.io");
        assertThat(errorWith(claim -> result(claim).addProperty("pool", "node2")))
                .contains("is of the pool node2, not of node1");
        assertThat(errorWith(claim -> result(claim).addProperty("device", "../../etc")))
                .contains("a name that is no DNS label");
        for (String request : List.of("r/", "r/" + "x".repeat(10_000), "r/a/b", "/a")) {
            assertThat(errorWith(claim -> result(claim).addProperty("request", request)))
                    .contains("a name that is no DNS label");
        }
        assertThat(errorWith(claim -> result(claim).addProperty("request", "r/" + "x".repeat(600_000))))
                .contains("the API server's answer has a name or a string of more than");
        assertThat(errorWith(claim -> result(claim).addProperty("device", "x".repeat(600_000))))
                .contains("the API server's answer has a name or a string of more than");
        assertThat(errorWith(claim -> TestClaims.reservedFor(claim).addProperty("name", "x".repeat(254))))
                .contains("an impossible name");
        assertThat(errorWith(claim -> devices(claim).getAsJsonArray("results").add(result(claim))))
                .contains("a device twice");
        assertThat(errorWith(claim -> devices(claim).add("config", parameters("x".repeat(10 << 10)))))
                .endsWith("it or its DeviceClass has parameters that example.com/vf does not take:"
                        + " its [class.claims] lets claims choose nothing");
        assertThat(node.claims()).doesNotExist();
    }

    private static JsonArray parameters(String text) {
        JsonObject opaque = new JsonObject();
        opaque.addProperty("driver", "edgeplug.io");
        opaque.addProperty("parameters", text);
        JsonObject one = new JsonObject();
        one.add("opaque", opaque);
        JsonArray all = new JsonArray();
        all.add(one);
        return all;
    }

    @Test
    void namesThatAreNoneAreRefused() {
        Claim claim = Claim.newBuilder()
                .setNamespace("default")
                .setName("mine")
                .setUid("../../etc/passwd")
                .build();
        assertThat(node.kubelet.prepare(claim).get(claim.getUid()))
                .satisfies(one -> assertThat(one.getError()).contains("its UID is none"));
        Claim other = claim("mine").toBuilder().setNamespace("a/b").build();
        assertThat(node.kubelet.prepare(other).get(other.getUid()))
                .satisfies(one -> assertThat(one.getError()).contains("is none of Kubernetes"));
    }
}
