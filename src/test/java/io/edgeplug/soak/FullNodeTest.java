package io.edgeplug.soak;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import io.edgeplug.api.dra.RawApiServer;
import io.edgeplug.api.status.StatusSocket;
import io.edgeplug.proto.status.Node;
import io.edgeplug.proto.status.NodeStatusGrpc;
import io.edgeplug.proto.status.WatchRequest;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node with as many devices as a resource may have, all held by pods, in the heap of the package. */
@Timeout(180)
final class FullNodeTest {

    private static final int DEVICES = 4096;
    private static final int SHARES = 2;
    private static final int WATCHERS = 50;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String SERIES = "edgeplug_device_allocated{";

    private final Ground ground;

    FullNodeTest() throws IOException {
        this.ground = Ground.lay();
    }

    @AfterEach
    void delete() throws IOException {
        ground.delete();
    }

    /** All that reports and reads at the same time. The API server answers all with a list of 2,000,000 parts. */
    @Test
    void everythingThatCanBeTurnedOnFitsBesideAFullNode() throws Exception {
        int port = freePort();
        fill("""
                [[class]]
                resource = "example.com/claimed"
                kind = "vf"
                api = "dra"
                match = { pf_names = ["ens3f0"] }
                [dra]
                kubeconfig = "%s"
                [labels]
                nfd = true
                [metrics]
                listen = "127.0.0.1:%d"
                """.formatted(ground.kubeconfig(), port));
        try (RawApiServer api = RawApiServer.open(FullNodeTest::answerTooMuch);
                UnixRpc rpc = UnixRpc.open();
                KubeletSide kubelet = new KubeletSide(rpc, ground.kubeletDir())) {
            api.writeIdentity(ground.root());
            kubelet.come(KubeletSide::follow);
            try (Target daemon = Target.start(ground)) {
                assertThat(daemon.awaitReady(PATIENCE.toSeconds())).isTrue();
                assertThat(kubelet.await(lists -> !lists.isEmpty(), PATIENCE.toMillis()))
                        .isTrue();
                ClaimInputs.register(rpc, ground);
                List<ManagedChannel> watchers = watch(rpc);
                for (int i = 0; i < 5; i++) {
                    await(daemon, () -> series(read(asking(port))) == DEVICES * SHARES);
                }
                await(daemon, () -> api.requests() > 0);
                watchers.forEach(ManagedChannel::shutdownNow);
                assertThat(daemon.isAlive()).as(daemon.lastWords()).isTrue();
            }
        }
    }

    private static void answerTooMuch(String request, HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, 0);
        exchange.getResponseBody()
                .write(("{\"items\":[" + "{},".repeat(2_000_000) + "{}]}").getBytes(StandardCharsets.UTF_8));
    }

    private List<ManagedChannel> watch(UnixRpc rpc) {
        List<ManagedChannel> watchers = new ArrayList<>();
        for (int i = 0; i < WATCHERS; i++) {
            ManagedChannel channel = rpc.dial(ground.sysroot().resolve(StatusSocket.PATH));
            watchers.add(channel);
            Iterator<Node> news = NodeStatusGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                    .watch(WatchRequest.getDefaultInstance());
            while (news.next().getResources(0).getHeld() != DEVICES) {
                Thread.onSpinWait();
            }
        }
        return watchers;
    }

    @Test
    void metricsOfAFullNodeAreWrittenAndServedToSeveralReaders() throws Exception {
        int port = freePort();
        Path text = ground.root().resolve("edgeplug.prom");
        fill("[metrics]\nlisten = \"127.0.0.1:" + port + "\"\ntextfile = \"" + text + "\"\n");
        try (Target daemon = Target.start(ground)) {
            assertThat(daemon.awaitReady(PATIENCE.toSeconds())).isTrue();
            await(daemon, () -> Files.exists(text));
            await(daemon, () -> series(Files.readString(text)) == DEVICES * SHARES);

            List<Socket> slow = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                slow.add(asking(port));
            }
            await(daemon, () -> series(read(asking(port))) == DEVICES * SHARES);
            // Their connections may be over, because they did not read.
            for (Socket socket : slow) {
                socket.close();
            }
            assertThat(daemon.isAlive()).as(daemon.lastWords()).isTrue();
        }
    }

    private interface Condition {
        boolean isMet() throws IOException;
    }

    private static void await(Target daemon, Condition condition) throws IOException {
        Deadline deadline = Deadline.in(PATIENCE);
        while (!condition.isMet()) {
            assertThat(daemon.isAlive()).as(daemon.lastWords()).isTrue();
            assertThat(deadline.isOver()).as(daemon.lastWords()).isFalse();
            LockSupport.parkNanos(50_000_000);
        }
    }

    /** Devices of the longest names that an ID may have, each in a pod of its own, as the kubelet notes them. */
    private void fill(String more) throws IOException {
        Path directory = Files.createDirectories(ground.sysroot().resolve("etc/many"));
        List<String> ids = IntStream.range(0, DEVICES)
                .mapToObj(i -> String.format(Locale.ROOT, "%063d", i))
                .toList();
        for (String id : ids) {
            Files.createFile(directory.resolve(id));
        }
        Files.writeString(
                ground.config(), """
                kubelet_dir = "%s"
                cdi_dir = "%s"
                device_info_dir = "%s"
                [[class]]
                resource = "example.com/full"
                kind = "path"
                shares = 2
                match = { paths = ["/etc/many/*"] }
                """.formatted(ground.kubeletDir(), ground.cdiDir(), ground.deviceInfoDir()) + more);
        Files.delete(ground.classDir().resolve("many.toml"));
        Files.writeString(
                ground.kubeletDir().resolve("kubelet_internal_checkpoint"),
                ids.stream()
                        .flatMap(id -> IntStream.range(0, SHARES)
                                .mapToObj(share -> """
                                {"PodUID":"%1$s-0000-0000-0000-%2$s","ContainerName":"a-container-with-a-name-of-the-usual-size-%2$s",\
                                "ResourceName":"example.com/full","DeviceIDs":{"-1":["%3$s::%1$s"]},"AllocResp":""}""".formatted(share, id.substring(51), id)))
                        .collect(Collectors.joining(
                                ",",
                                "{\"Data\":{\"PodDeviceEntries\":[",
                                "],\"RegisteredDevices\":{}},\"Checksum\":1}")));
    }

    private static int freePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return any.getLocalPort();
        }
    }

    private static Socket asking(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(Math.toIntExact(PATIENCE.toMillis()));
        socket.getOutputStream().write("GET /metrics HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.UTF_8));
        return socket;
    }

    private static String read(Socket asked) throws IOException {
        try (asked) {
            return new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static long series(String text) {
        return text.lines().filter(line -> line.startsWith(SERIES)).count();
    }
}
