package io.edgeplug.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.edgeplug.proto.status.Node;
import io.edgeplug.proto.status.Slices;
import org.junit.jupiter.api.Test;

/** What the daemon's status says of slices and claims. */
final class ClaimingStatusTest {

    private static Node claimed(String problem, int slices) {
        return StatusTest.NODE.toBuilder()
                .setSlices(Slices.newBuilder()
                        .setDriver("edgeplug.io")
                        .setPool("edge-1")
                        .setGeneration(3)
                        .setSlices(slices)
                        .setDevices(slices * 8)
                        .setProblem(problem)
                        .setClaims(2))
                .build();
    }

    @Test
    void reasonIsToldWhyDevicesArePreparedOnlyWhenTheKubeletAsks() {
        Node claimed = claimed("", 1);
        Node late = claimed.toBuilder()
                .setSlices(claimed.getSlices().toBuilder().setFallback("it may not list resourceclaims"))
                .build();
        assertThat(StatusText.lines(late))
                .element(3)
                .asString()
                .endsWith(
                        "; 2 claims; devices are prepared only when the kubelet asks: it may not list resourceclaims");
        assertThat(StatusText.lines(late))
                .first()
                .isEqualTo(StatusText.lines(claimed).getFirst());
    }

    @Test
    void slicesHaveALineWhereDevicesAreClaimed() {
        assertThat(StatusText.lines(claimed("", 1)))
                .element(3)
                .isEqualTo("edgeplug.io: 8 devices in 1 slice of pool edge-1, generation 3; 2 claims");
        assertThat(StatusText.lines(claimed("connection refused", 2)))
                .element(3)
                .isEqualTo(
                        "edgeplug.io: not published: connection refused; before: 16 devices in 2 slices of pool edge-1,"
                                + " generation 3; 2 claims");
        assertThat(StatusText.lines(claimed("the kubelet has not taken up the driver yet", 0)))
                .element(3)
                .isEqualTo("edgeplug.io: not published: the kubelet has not taken up the driver yet; 2 claims");

        var object = JsonParser.parseString(StatusText.json(claimed("no", 1))).getAsJsonObject();
        assertThat(object.getAsJsonObject("slices"))
                .hasToString(
                        "{\"driver\":\"edgeplug.io\",\"pool\":\"edge-1\",\"generation\":3,\"slices\":1,\"devices\":8,"
                                + "\"published\":false,\"problem\":\"no\",\"claims\":2,\"fallback\":\"\"}");
        assertThat(JsonParser.parseString(StatusText.json(StatusTest.NODE))
                        .getAsJsonObject()
                        .has("slices"))
                .isFalse();
    }
}
