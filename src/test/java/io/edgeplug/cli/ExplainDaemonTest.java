package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.status.StatusSocket;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.proto.status.GetRequest;
import io.edgeplug.proto.status.HeldDevice;
import io.edgeplug.proto.status.Node;
import io.edgeplug.proto.status.NodeStatusGrpc;
import io.edgeplug.proto.status.Problem;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.Server;
import io.grpc.stub.StreamObserver;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code explain} learns from the running daemon. */
final class ExplainDaemonTest {

    @TempDir
    private Path root = Path.of("");

    @Test
    void whatOnlyTheRunningDaemonKnowsIsToldToo() throws Exception {
        String text = "container main of pod 1f3a started without its being prepared";
        NodeStatusGrpc.NodeStatusImplBase daemon = new NodeStatusGrpc.NodeStatusImplBase() {
            @Override
            public void get(GetRequest request, StreamObserver<Node> caller) {
                caller.onNext(Node.newBuilder()
                        .addProblems(Problem.newBuilder()
                                .setDevice("0000:5e:02.9")
                                .setText("is gone")
                                .setSince(2))
                        .addProblems(Problem.newBuilder()
                                .setDevice("full")
                                .setText("is gone")
                                .setSince(2))
                        .addHeld(held("0000:5e:02.9", "intel.com/x710_dpdk", "dpdk-0"))
                        .addHeld(held("full", "example.com/full", "s1"))
                        .addProblems(Problem.newBuilder()
                                .setDevice("0000:5e:02.0")
                                .setText(text)
                                .setSince(2))
                        .build());
                caller.onCompleted();
            }
        };
        try (SimulatedNode node = SimulatedNode.unpack(
                        Files.readString(ExplainTest.MACHINES.resolve("vfio-bound/tree")),
                        Files.createTempDirectory(root, "node"));
                UnixRpc rpc = UnixRpc.open()) {
            Path socket = node.root().resolve(StatusSocket.PATH);
            Files.createDirectories(socket.resolveSibling(""));
            Server server = rpc.serve(socket, daemon);
            try {
                assertThat(ExplainTest.explain(node, "vfio-bound", "0000:5e:02.0"))
                        .containsPattern(
                                "so it is advertised as intel.com/x710_dpdk\nthe daemon reports since [-0-9: ]{19}: unhealthy: "
                                        + text + "\n");
                assertThat(ExplainTest.explain(node, "vfio-bound", "0000:5e:00.0"))
                        .doesNotContain("the daemon");
                assertThat(ExplainTest.explain(node, "vfio-bound", "0000:5e:02.9"))
                        .matches("""
                                0000:5e:02.9
                                is not on this node any more
                                the daemon reports since [-0-9: ]{19}: unhealthy: is gone
                                held by edge/dpdk-0/main as intel.com/x710_dpdk
                                """);
                Path config = Files.writeString(root.resolve("files.toml"), """
                        [[class]]
                        resource = "example.com/full"
                        kind = "path"
                        match = { paths = ["/dev/nodes/*"] }
                        """);
                Console gone = new Console();
                assertThat(gone.execute(
                                "explain",
                                "/dev/nodes/full",
                                "--config",
                                config.toString(),
                                "--sysroot",
                                node.root().toString()))
                        .isZero();
                assertThat(gone.text())
                        .startsWith("/dev/nodes/full\nis not on this node any more\nthe daemon reports since ")
                        .contains("held by edge/s1/main as example.com/full");
            } finally {
                server.shutdownNow().awaitTermination();
            }
        }
    }

    private static HeldDevice held(String device, String resource, String pod) {
        return HeldDevice.newBuilder()
                .setDevice(device)
                .setResource(resource)
                .setNamespace("edge")
                .setPod(pod)
                .setContainer("main")
                .build();
    }
}
