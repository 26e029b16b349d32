package io.edgeplug.dra;

import static io.edgeplug.dra.DraNode.VF0_NAME;
import static io.edgeplug.dra.DraNode.claim;
import static io.edgeplug.dra.TestClaims.devices;
import static io.edgeplug.dra.TestClaims.result;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.edgeplug.proto.dra.v1.Claim;
import io.edgeplug.proto.dra.v1.NodePrepareResourceResponse;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Claims that no scheduler would leave like this. Each is refused with a sentence and has no effect. */
@Timeout(90)
final class BadClaimsTest extends OnDraNode {

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
                node.prepare(claim("good"), claim("unknown"), claim("nobodys"));

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
    void claimThatIsNotAsItMustBeIsRefusedWithASentence() {
        assertThat(errorWith(claim -> Slice.object(claim, "metadata").addProperty("uid", "other")))
                .contains("it was deleted and made again");
        assertThat(errorWith(claim -> Slice.object(claim, "status").remove("allocation")))
                .contains("no devices were allocated to it");
        assertThat(errorWith(claim -> result(claim).addProperty("driver", "other.example.com")))
                .contains("no device of the driver edgeplug.io");
        assertThat(errorWith(claim -> result(claim).addProperty("pool", "node2")))
                .contains("is of the pool node2, not of node1");
        assertThat(errorWith(claim -> result(claim).addProperty("device", "../../etc")))
                .contains("a name that is no DNS label");
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
        assertThat(node.prepare(claim).get(claim.getUid()))
                .satisfies(one -> assertThat(one.getError()).contains("its UID is none"));
        Claim other = claim("mine").toBuilder().setNamespace("a/b").build();
        assertThat(node.prepare(other).get(other.getUid()))
                .satisfies(one -> assertThat(one.getError()).contains("is none of Kubernetes"));
    }
}
