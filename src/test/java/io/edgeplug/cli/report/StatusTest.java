package io.edgeplug.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.edgeplug.cli.Console;
import io.edgeplug.cli.options.ExitCode;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.proto.status.Event;
import io.edgeplug.proto.status.Failure;
import io.edgeplug.proto.status.HeldDevice;
import io.edgeplug.proto.status.KubeletAbsence;
import io.edgeplug.proto.status.Node;
import io.edgeplug.proto.status.Problem;
import io.edgeplug.proto.status.Resource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a person sees of the daemon's status, and a program. */
final class StatusTest {

    static final Node NODE = Node.newBuilder()
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
                    .setHeldShares(1)
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
                                .isEqualTo("2 things need you: 1 resource not registered, 1 unhealthy device"),
                        line -> assertThat(line)
                                .matches("edgeplug 0\\.1\\.0, running since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d"),
                        line -> assertThat(line).isEqualTo("kubelet: has 1 of 2 resources"),
                        line -> assertThat(line).isEmpty(),
                        line -> assertThat(line)
                                .isEqualTo("RESOURCE         TOTAL  FREE  HELD  PREPARING  UNHEALTHY  KUBELET"),
                        line -> assertThat(line)
                                .isEqualTo("example.com/vf   4      1     2     0          1          registered"),
                        line -> assertThat(line)
                                .isEqualTo("example.com/hca  1      1     1/4   0          0          -"),
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
                        line -> assertThat(line)
                                .isEqualTo("LAST EVENTS          a warning here may be over, see the first line"),
                        line -> assertThat(line)
                                .matches("[-0-9]{10} [:0-9]{8}  warning: 0000:3b:01.2: unhealthy: \\?\\[31m"));
    }

    @Test
    void resourceWithoutDevicesIsToldWhereToLook() {
        Node node = NODE.toBuilder()
                .clearResources()
                .addResources(Resource.newBuilder()
                        .setName("example.com/vf")
                        .setRegistered(true)
                        .setShares(1))
                .build();

        assertThat(StatusText.lines(node))
                .contains("example.com/vf  0      0     0     0          0          registered  "
                        + "no device matches, see edgeplug check");
    }

    @Test
    void kubeletThatIsWaitedForIsToldWithItsSocketAndSinceWhen() {
        Node node = NODE.toBuilder()
                .setHasKubelet(false)
                .setKubeletAbsence(
                        KubeletAbsence.newBuilder().setSince(2).setReason("nobody listens on /k/kubelet.sock"))
                .build();

        assertThat(StatusText.lines(node))
                .anyMatch(line -> line.matches(
                        "kubelet: waiting for it since [-0-9]{10} [:0-9]{8}: nobody listens on /k/kubelet.sock"));
    }

    @Test
    void failureForAPodIsToldCountedAndColoredUntilTheSameGoesWell() {
        Node node = Node.newBuilder()
                .setVersion("edgeplug 0.1.0")
                .setHasKubelet(true)
                .addFailures(Failure.newBuilder()
                        .setWhat("start")
                        .setSubject("g1")
                        .setResource("example.com/gopher")
                        .setText("for default/podB (main): Device g1 could not be prepared")
                        .setSince(2))
                .build();

        assertThat(StatusText.lines(node))
                .contains("1 thing needs you: 1 failure for a pod")
                .anyMatch(line -> line.matches("DEVICE  RESOURCE            FAILED SINCE         WHAT"))
                .anyMatch(line -> line.matches("g1      example.com/gopher  [-0-9]{10} [:0-9]{8}  "
                        + "start for default/podB \\(main\\): Device g1 could not be prepared"));
        StatusColors colors = new StatusColors();
        assertThat(StatusText.lines(node).stream().flatMap(line -> colors.of(line, List.of(line)).stream()))
                .anyMatch(line -> line.startsWith("\033[31mg1 "));
        assertThat(StatusText.json(node)).contains("\"subject\": \"g1\"");
    }

    @Test
    void deviceThatDoesNotComeBackByItselfNeedsAPerson() {
        Problem withheld = Problem.newBuilder()
                .setResource("example.com/acc")
                .setDevice("a1")
                .setText("is not the device that a pod has used here")
                .setWithheld(true)
                .build();
        Node soon = Node.newBuilder()
                .setVersion("edgeplug 0.1.0")
                .setHasKubelet(true)
                .addProblems(withheld)
                .build();

        assertThat(StatusText.lines(soon)).element(0).isEqualTo("all well");
        assertThat(StatusText.lines(soon.toBuilder()
                        .setProblems(0, withheld.toBuilder().setStuck(true))
                        .build()))
                .element(0)
                .isEqualTo("1 thing needs you: 1 device not scrubbed");
    }

    @Test
    void nodeWithoutAnythingToDoIsAllWellInGreen() {
        Node well = Node.newBuilder()
                .setVersion("edgeplug 0.1.0")
                .setHasKubelet(true)
                .addResources(NODE.getResources(0).toBuilder().setUnhealthy(0))
                .build();

        assertThat(StatusText.lines(well)).element(0).isEqualTo("all well");
        assertThat(new StatusColors().of("all well", List.of("all", " well")))
                .containsExactly("\033[32mall\033[0m", "\033[32m well\033[0m");
    }

    @Test
    void linesThatNeedAPersonAreColoredAndOthersAreNot() {
        StatusColors colors = new StatusColors();

        assertThat(StatusText.lines(NODE).stream()
                        .flatMap(line -> colors.of(line, List.of(line)).stream())
                        .filter(line -> line.contains("\033")))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("\033[1;31m2 things need you"),
                        line -> assertThat(line).startsWith("\033[1mRESOURCE"),
                        line -> assertThat(line).startsWith("\033[1mDEVICE").contains("HELD BY"),
                        line -> assertThat(line).startsWith("\033[1mDEVICE").contains("PROBLEM"),
                        line -> assertThat(line).startsWith("\033[31m0000:3b:01.2"),
                        line -> assertThat(line).startsWith("\033[1mLAST EVENTS"),
                        line -> assertThat(line).startsWith("\033[33m").contains("warning: 0000:3b:01.2"));
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
