package io.edgeplug.api.metrics;

import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static io.edgeplug.api.kubelet.TestDaemon.VF0;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.api.kubelet.TestDaemon;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.system.flow.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a scraper is told, and what one that means harm gets. */
@Timeout(60)
final class MetricsTest {

    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final String GET_METRICS = "GET /metrics HTTP/1.1\r\n\r\n";

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    private TestDaemon daemon;
    private LocalKubelet kubelet;
    private Scrape scrape;

    @BeforeEach
    void open() throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        kubelet = closing.add(LocalKubelet.open(kubeletDir, event -> {}));
        daemon = closing.add(TestDaemon.open(directory, kubeletDir));
        kubelet.await(NODE0, state -> state.allocatable() == 2, PATIENCE);
        scrape = new Scrape(daemon.view(), daemon.node.sysfs(), false);
    }

    @Test
    void scraperIsToldOfDevicesTheirStateAndWhoHasThem() throws Exception {
        kubelet.admit(PodSpec.of("pod", NODE0, 1));
        daemon.node.pull(VF0);
        kubelet.await(NODE0, state -> state.allocatable() == 1, PATIENCE);
        // others may be registering still, and the kubelet's notes are read a moment after it has written them
        InetSocketAddress server = serve(SHORT.multipliedBy(30));
        String counted = "edgeplug_registrations_total{resource=\"example.com/sriov_node0\",result=\"ok\"} 1.0";
        Deadline patience = Deadline.in(PATIENCE);
        String body = get(server, "/metrics").body();
        while (!body.contains(counted) || !body.contains("edgeplug_device_allocated{")) {
            assertThat(patience.isOver()).as("%s", body).isFalse();
            body = get(server, "/metrics").body();
        }

        assertThat(get(server, "/metrics").body().lines())
                .contains(
                        "edgeplug_kubelet_up 1.0",
                        "edgeplug_registered{resource=\"example.com/sriov_node0\"} 1.0",
                        "edgeplug_allocations_total{resource=\"example.com/sriov_node0\",result=\"ok\"} 1.0",
                        "edgeplug_allocations_total{resource=\"example.com/sriov_node0\",result=\"error\"} 0.0",
                        "edgeplug_devices{resource=\"example.com/gopher\",state=\"free\"} 2.0",
                        "edgeplug_device_info{device=\"0000:3b:01.1\",driver=\"iavf\",kind=\"vf\",numa_node=\"0\","
                                + "pci_address=\"0000:3b:01.1\",pf=\"ens1f0\",resource=\"example.com/sriov_node0\"} 1.0",
                        "edgeplug_device_healthy{device=\"0000:3b:01.1\",resource=\"example.com/sriov_node0\"} 1.0")
                .anyMatch(line -> line.startsWith("edgeplug_device_allocated{container=\"")
                        && line.contains("resource=\"example.com/sriov_node0\""))
                .anyMatch(line -> line.startsWith("edgeplug_uevents_total "));
    }

    @Test
    void otherPathsAndMethodsAreRefused() throws Exception {
        InetSocketAddress server = serve(PATIENCE);

        assertThat(get(server, "/healthz").body()).isEqualTo("ok\n");
        assertThat(get(server, "/debug/pprof").statusCode()).isEqualTo(404);
        assertThat(send(server, "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n"))
                .startsWith("HTTP/1.1 405");
        assertThat(send(server, "garbage\r\n\r\n")).startsWith("HTTP/1.1 400");
        assertThat(send(server, "GET /metrics HTTP/1.1\r\nX: " + "x".repeat(9000) + "\r\n\r\n"))
                .startsWith("HTTP/1.1 400");
    }

    @Test
    void readerOfHttp10GetsTheSameWithoutChunks() throws Exception {
        String answer = send(serve(PATIENCE), "GET /metrics HTTP/1.0\r\n\r\n");

        assertThat(answer).contains("\nedgeplug_kubelet_up 1.0\n").doesNotContainIgnoringCase("transfer-encoding");
        assertThat(answer.lines()).noneMatch(line -> line.matches("[0-9a-f]+"));
    }

    @Test
    void callerThatNeverEndsItsRequestIsHungUpOn() throws Exception {
        try (Socket slow = connect(serve(SHORT))) {
            slow.getOutputStream().write("GET /metrics HTTP/1.1\r\nX".getBytes(StandardCharsets.UTF_8));

            assertThat(slow.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void callersBeyondTheLimitAreHungUpOnAndTheNextIsAnsweredWhenOneHasGone() throws Exception {
        InetSocketAddress server = serve(PATIENCE);
        List<Socket> idle = new ArrayList<>();
        try {
            for (int i = 0; i < MetricsServer.MAX_CONNECTIONS; i++) {
                idle.add(closing.add(connect(server)));
            }
            try (Socket late = connect(server)) {
                assertThat(late.getInputStream().read()).isEqualTo(-1);
            }
        } finally {
            idle.getFirst().close();
        }
        String answer = "";
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (answer.isEmpty() && System.nanoTime() < end) {
            answer = send(server, "GET /healthz HTTP/1.1\r\n\r\n");
        }
        assertThat(answer).startsWith("HTTP/1.1 200");
    }

    @Test
    void fileHasTheSameAndIsRemovedAtTheEnd() throws Exception {
        Path file = directory.resolve("edgeplug.prom");
        try (MetricsFile written = new MetricsFile(scrape, file)) {
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (!Files.exists(file) && System.nanoTime() < end) {
                Thread.onSpinWait();
            }
            assertThat(Files.readString(file)).contains("# TYPE edgeplug_devices gauge");
        }
        assertThat(file).doesNotExist();
    }

    @Test
    void driverThatDoesNotAnswerCostsItsCountersAndNothingElse() throws Exception {
        Path stats = daemon.node.root().resolve("sys/bus/pci/devices/0000:3b:00.0/sriov/0/stats");
        Files.createDirectories(stats.getParent());
        assertThat(new ProcessBuilder("mkfifo", stats.toString()).start().waitFor())
                .isZero();

        assertThat(text()).contains("edgeplug_devices{").doesNotContain("edgeplug_vf_receive_bytes_total{");

        // whoever reads it is let go
        Files.writeString(stats, "rx_bytes : 1\n");
    }

    /** Such a thread would end the whole daemon with an error, at a reload or as it stops. */
    @Test
    void answerThatIsReadyOnceTheServerIsClosedIsDropped() throws Exception {
        Queue<Throwable> uncaught = new ConcurrentLinkedQueue<>();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, bug) -> uncaught.add(bug));
        try {
            for (int i = 0; i < 20; i++) {
                closeWhileItScrapes(scrape);
                assertThat(text()).contains("edgeplug_devices{");
            }
            assertThat(uncaught).isEmpty();
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    private void closeWhileItScrapes(Scrape slow) throws Exception {
        MetricsServer server = new MetricsServer(ANY, PATIENCE, slow);
        assertThat(server.awaitListening(PATIENCE)).isTrue();
        InetSocketAddress address = server.address().orElseThrow();
        // no scrape is done meanwhile
        synchronized (slow) {
            Socket asking = closing.add(connect(address));
            asking.getOutputStream().write("GET /metrics HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8));
            // answered by the same loop, after it
            assertThat(send(address, "GET /healthz HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 200");
            server.close();
        }
    }

    /** The thread of each waits for its turn, whether or not anybody waits for the answer. */
    @Test
    void callersThatHangUpBeforeTheAnswerCountUntilItIsMade() throws Exception {
        InetSocketAddress server = serve(PATIENCE.multipliedBy(3));
        Scrape slow = scrape;
        // no scrape is done meanwhile
        synchronized (slow) {
            for (int i = 0; i < MetricsServer.MAX_ANSWERS; i++) {
                try (Socket leaving = connect(server)) {
                    leaving.getOutputStream().write(GET_METRICS.getBytes(StandardCharsets.UTF_8));
                    // answered by the same loop, after it
                    assertThat(send(server, "GET /healthz HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 200");
                    leaving.setSoLinger(true, 0);
                }
            }
            for (int i = 0; i < 20; i++) {
                assertThat(send(server, GET_METRICS)).startsWith("HTTP/1.1 503");
            }
        }
        Deadline patience = Deadline.in(PATIENCE);
        while (!send(server, GET_METRICS).startsWith("HTTP/1.1 200")) {
            assertThat(patience.isOver()).isFalse();
        }
    }

    private String text() throws Exception {
        StringWriter text = new StringWriter();
        scrape.write(text);
        return text.toString();
    }

    private InetSocketAddress serve(Duration life) throws InterruptedException {
        MetricsServer server = closing.add(new MetricsServer(ANY, life, scrape));
        assertThat(server.awaitListening(PATIENCE)).isTrue();
        return server.address().orElseThrow();
    }

    private static HttpResponse<String> get(InetSocketAddress server, String path) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(URI.create("http://localhost:" + server.getPort() + path))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    private static Socket connect(InetSocketAddress server) throws IOException {
        Socket socket = new Socket(server.getAddress(), server.getPort());
        socket.setSoTimeout(Math.toIntExact(PATIENCE.toMillis()));
        return socket;
    }

    /** Empty where it is hung up on. */
    private static String send(InetSocketAddress server, String request) throws IOException {
        try (Socket socket = connect(server)) {
            OutputStream out = socket.getOutputStream();
            out.write(request.getBytes(StandardCharsets.UTF_8));
            InputStream in = socket.getInputStream();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (SocketException e) {
            return "";
        }
    }
}
