package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.edgeplug.proto.status.Event;
import io.edgeplug.proto.status.HeldDevice;
import io.edgeplug.proto.status.Node;
import io.edgeplug.proto.status.Problem;
import io.edgeplug.proto.status.Resource;
import io.edgeplug.proto.status.Slices;
import io.edgeplug.simulation.DemoNode;
import io.edgeplug.simulation.SimulatedNode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a person sees of the daemon's status, and a program. */
final class StatusTest {

    private static final Node NODE = Node.newBuilder()
            .setVersion("edgeplug 0.1.0")
            .setStarted(1)
            .setHasKubelet(true)
            .addResources(Resource.newBuilder()
                    .setName("example.com/vf")
                    .setRegistered(true)
                    .setTotal(4)
                    .setFree(1)
                    .setHeld(2)
                    .setUnhealthy(1)
                    .setShares(1))
            .addResources(Resource.newBuilder()
                    .setName("example.com/hca")
                    .setTotal(1)
                    .setFree(1)
                    .setShares(4))
            .addHeld(HeldDevice.newBuilder()
                    .setResource("example.com/vf")
                    .setDevice("0000:3b:01.0")
                    .setNamespace("default")
                    .setPod("dpdk")
                    .setPodUid("1f3a")
                    .setContainer("main"))
            .addHeld(HeldDevice.newBuilder()
                    .setResource("example.com/vf")
                    .setDevice("0000:3b:01.1")
                    .setPodUid("77c0")
                    .setContainer("main"))
            .setHeldMore(3)
            .addProblems(Problem.newBuilder()
                    .setResource("example.com/vf")
                    .setDevice("0000:3b:01.2")
                    .setText("its link is down")
                    .setSince(2))
            .addEvents(Event.newBuilder().setTime(2).setWarning(true).setText("0000:3b:01.2: unhealthy: \u001b[31m"))
            .build();

    @TempDir
    private Path directory = Path.of("");

    private final Console printed = new Console();

    @Test
    void personSeesOneScreen() {
        assertThat(StatusText.lines(NODE))
                .satisfiesExactly(
                        line -> assertThat(line)
                                .matches("edgeplug 0\\.1\\.0, running since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d"),
                        line -> assertThat(line).isEqualTo("kubelet: has 1 of 2 resources"),
                        line -> assertThat(line).isEmpty(),
                        line -> assertThat(line)
                                .isEqualTo(
                                        "RESOURCE                         TOTAL  FREE  HELD  PREPARING  UNHEALTHY  KUBELET"),
                        line -> assertThat(line)
                                .isEqualTo(
                                        "example.com/vf                   4      1     2     0          1          registered"),
                        line -> assertThat(line)
                                .isEqualTo(
                                        "example.com/hca (4 shares each)  1      1     0     0          0          -"),
                        line -> assertThat(line).isEmpty(),
                        line -> assertThat(line).isEqualTo("DEVICE        RESOURCE        HELD BY"),
                        line -> assertThat(line).isEqualTo("0000:3b:01.0  example.com/vf  default/dpdk/main"),
                        line -> assertThat(line).isEqualTo("0000:3b:01.1  example.com/vf  container main of pod 77c0"),
                        line -> assertThat(line).isEqualTo("and 3 more"),
                        line -> assertThat(line).isEmpty(),
                        line -> assertThat(line).matches("DEVICE        RESOURCE        UNHEALTHY SINCE      PROBLEM"),
                        line -> assertThat(line)
                                .matches("0000:3b:01.2  example.com/vf  [-0-9]{10} [:0-9]{8}  its link is down"),
                        line -> assertThat(line).isEmpty(),
                        line -> assertThat(line).startsWith("LAST EVENTS"),
                        line -> assertThat(line)
                                .matches("[-0-9]{10} [:0-9]{8}  warning: 0000:3b:01.2: unhealthy: \\?\\[31m"));
    }

    private static Node claimed(String problem, int slices) {
        return NODE.toBuilder()
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
    void slicesHaveALineWhereDevicesAreClaimed() {
        assertThat(StatusText.lines(claimed("", 1)))
                .element(2)
                .isEqualTo("edgeplug.io: 8 devices in 1 slice of pool edge-1, generation 3; 2 claims");
        assertThat(StatusText.lines(claimed("connection refused", 2)))
                .element(2)
                .isEqualTo("edgeplug.io: not published: connection refused; before: 16 devices in 2 slices of pool edge-1,"
                        + " generation 3; 2 claims");
        assertThat(StatusText.lines(claimed("the kubelet has not taken up the driver yet", 0)))
                .element(2)
                .isEqualTo("edgeplug.io: not published: the kubelet has not taken up the driver yet; 2 claims");

        var object = JsonParser.parseString(StatusText.json(claimed("no", 1))).getAsJsonObject();
        assertThat(object.getAsJsonObject("slices"))
                .hasToString("{\"driver\":\"edgeplug.io\",\"pool\":\"edge-1\",\"generation\":3,\"slices\":1,\"devices\":8,"
                        + "\"published\":false,\"problem\":\"no\",\"claims\":2}");
        assertThat(JsonParser.parseString(StatusText.json(NODE)).getAsJsonObject().has("slices"))
                .isFalse();
    }

    @Test
    void programGetsOneObject() {
        var object = JsonParser.parseString(StatusText.json(NODE)).getAsJsonObject();

        assertThat(object.get("running").getAsBoolean()).isTrue();
        assertThat(object.getAsJsonArray("resources")
                        .get(0)
                        .getAsJsonObject()
                        .get("held")
                        .getAsInt())
                .isEqualTo(2);
        assertThat(object.getAsJsonArray("held")
                        .get(0)
                        .getAsJsonObject()
                        .get("pod")
                        .getAsString())
                .isEqualTo("dpdk");
        assertThat(object.getAsJsonArray("problems")
                        .get(0)
                        .getAsJsonObject()
                        .get("since")
                        .getAsString())
                .isEqualTo("1970-01-01T00:00:02Z");
    }

    @Test
    void nodeWithoutADaemonIsSaidToHaveNoneAndIsScanned() throws Exception {
        try (SimulatedNode node = SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node"))) {
            Path config = Files.writeString(directory.resolve("edgeplug.toml"), """
                    [[class]]
                    resource = "example.com/vf"
                    kind = "vf"
                    match = { pf_names = ["ens1f0"] }
                    """);

            int code = printed.execute("status", "--sysroot", node.root().toString(), "--config", config.toString());

            assertThat(code).isEqualTo(ExitCode.FAILURE);
            assertThat(printed.text().lines())
                    .containsExactly(
                            "edgeplug: the daemon is not running: there is no "
                                    + node.root().resolve("run/edgeplug/status.sock"),
                            "RESOURCE        TOTAL  FREE  HELD  PREPARING  UNHEALTHY  KUBELET",
                            "example.com/vf  2      2     -     -          0          -");
        }
    }
}
