package io.edgeplug.bench;

import io.edgeplug.api.metrics.Metrics;
import io.edgeplug.api.status.DaemonHistory;
import io.edgeplug.api.status.StatusSocket;
import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.proto.status.Node;
import io.edgeplug.proto.status.NodeStatusGrpc;
import io.edgeplug.proto.status.WatchRequest;
import io.edgeplug.proto.v1beta1.AllocateRequest;
import io.edgeplug.proto.v1beta1.ContainerAllocateRequest;
import io.edgeplug.proto.v1beta1.DevicePluginGrpc;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;

/** What people and monitoring cost: how soon a watcher knows, how long a scrape takes, and what they leave on the heap. */
final class StatusFigures implements Section {

    private static final int FUNCTIONS = 4096;
    private static final int FEW = 256;
    private static final int ROUNDS = 100;
    private static final int WARM_UP = 30;
    private static final int WATCHERS = 100;
    private static final int SCRAPES = 300;

    /** Enough of them to see whether anything is kept of each. */
    private static final int SCRAPES_FOR_GROWTH = 10_000;

    private static final int CHANGES = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** After each change. */
    private static final int CALLS = 100;

    private static final String ALONE = "Allocate while VFs go and come, 256 functions";
    private static final String BARE = "the same, hostile scrapers of a bare server beside it";

    /** The VF that goes and comes. */
    private static final int NUMBER = 3;

    @Override
    public String name() {
        return "status";
    }

    @Override
    public void measure(Consumer<Figure> figures) throws Exception {
        measureWatching(figures);
        measureAllocate(figures);
        measureHostile(figures);
        measureMany(figures);
        measureGrowth(figures);
    }

    private static void measureWatching(Consumer<Figure> figures) throws Exception {
        Lists lists = new Lists(BigNode.allVfs().resource());
        Samples kubelets = new Samples();
        Samples watchers = new Samples();
        try (Rig rig = few(lists::note);
                StatusSocket socket = open(rig);
                UnixRpc rpc = UnixRpc.open()) {
            int vfs =
                    rig.monitor().current().devices(BigNode.allVfs().resource()).size();
            lists.await(vfs);
            Iterator<Node> watcher = watch(rpc.dial(path(rig)));
            PciAddress address = BigNode.address(NUMBER);
            for (int i = 0; i < WARM_UP + ROUNDS; i++) {
                await(watcher, vfs);
                long begun = System.nanoTime();
                rig.node().pull(address);
                await(watcher, vfs - 1);
                long watched = System.nanoTime();
                long listed = lists.await(vfs - 1);
                if (i >= WARM_UP) {
                    kubelets.add(listed - begun);
                    watchers.add(watched - begun);
                }
                rig.node().plug(BigNode.function(NUMBER));
                lists.await(vfs);
            }
        }
        String list = "removal, and its files -> list, 256 functions";
        figures.accept(kubelets.millis(list));
        figures.accept(watchers.millis("the same -> status --watch").above(list).with(Target.p99(60)));
    }

    /** While VFs go and come, which each watcher is told of. */
    private static void measureAllocate(Consumer<Figure> figures) throws Exception {
        try (Rig rig = few(event -> {});
                StatusSocket socket = open(rig);
                UnixRpc rpc = UnixRpc.open()) {
            DevicePluginGrpc.DevicePluginBlockingStub calls = DevicePluginGrpc.newBlockingStub(
                    rpc.dial(rig.socket(BigNode.allVfs().resource(), FEW - 1)));
            Samples ignored = allocate(rig, calls);
            figures.accept(allocate(rig, calls).millis(ALONE));
            List<Thread> readers = new ArrayList<>();
            List<ManagedChannel> channels = new ArrayList<>();
            for (int i = 0; i < WATCHERS; i++) {
                ManagedChannel channel = rpc.dial(path(rig));
                Iterator<Node> watcher = watch(channel);
                Node first = watcher.next();
                channels.add(channel);
                readers.add(Thread.ofVirtual().start(() -> readAll(watcher)));
            }
            figures.accept(allocate(rig, calls)
                    .millis("the same, 100 watchers and their clients beside it")
                    .above(ALONE));
            channels.forEach(ManagedChannel::shutdownNow);
            for (Thread reader : readers) {
                reader.join();
            }
        }
    }

    /** Beside scrapers that mean harm; they cost a processor whoever serves, so that a bare server is the floor. */
    private static void measureHostile(Consumer<Figure> figures) throws Exception {
        try (Rig rig = few(event -> {});
                Metrics metrics = metrics(rig);
                ServerSocket bare = HostileScrapers.floor();
                UnixRpc rpc = UnixRpc.open()) {
            DevicePluginGrpc.DevicePluginBlockingStub calls = DevicePluginGrpc.newBlockingStub(
                    rpc.dial(rig.socket(BigNode.allVfs().resource(), FEW - 1)));
            Samples ignored = allocate(rig, calls);
            scrape(metrics, WARM_UP, new Samples());
            long before = heap();
            try (HostileScrapers scrapers = HostileScrapers.attack(bare.getLocalPort())) {
                figures.accept(allocate(rig, calls).millis(BARE).above(ALONE));
            }
            try (HostileScrapers scrapers =
                    HostileScrapers.attack(metrics.address().orElseThrow().getPort())) {
                figures.accept(allocate(rig, calls)
                        .millis("the same, where it is edgeplug that they attack")
                        .above(BARE)
                        .with(Target.p99TimesFloor(2)));
                figures.accept(Figure.single("heap more beside hostile scrapers", "MB", (heap() - before) / 1e6));
            }
        }
    }

    private static void readAll(Iterator<Node> watcher) {
        try {
            watcher.forEachRemaining(node -> {});
        } catch (StatusRuntimeException e) {
            // its channel was closed
        }
    }

    private static Samples allocate(Rig rig, DevicePluginGrpc.DevicePluginBlockingStub plugin) throws IOException {
        AllocateRequest request = AllocateRequest.newBuilder()
                .addContainerRequests(ContainerAllocateRequest.newBuilder()
                        .addDevicesIds(BigNode.address(NUMBER + 1).toString()))
                .build();
        Samples samples = new Samples();
        for (int i = 0; i < CHANGES; i++) {
            rig.node().pull(BigNode.address(NUMBER));
            allocate(plugin, request, samples);
            rig.node().plug(BigNode.function(NUMBER));
            allocate(plugin, request, samples);
        }
        return samples;
    }

    private static void allocate(
            DevicePluginGrpc.DevicePluginBlockingStub plugin, AllocateRequest request, Samples samples) {
        for (int i = 0; i < CALLS; i++) {
            long begun = System.nanoTime();
            plugin.allocate(request);
            samples.add(System.nanoTime() - begun);
        }
    }

    private static void measureMany(Consumer<Figure> figures) throws Exception {
        try (Rig rig = Rig.open(
                        BigNode.tree(FUNCTIONS),
                        List.of(BigNode.allVfs()),
                        SimulatedNode::uevents,
                        Duration.ofMillis(150),
                        event -> {});
                StatusSocket socket = open(rig);
                UnixRpc rpc = UnixRpc.open();
                Metrics metrics = metrics(rig)) {
            List<ManagedChannel> channels = new ArrayList<>();
            long before = heap();
            for (int i = 0; i < WATCHERS; i++) {
                channels.add(rpc.dial(path(rig)));
                Node ignored = watch(channels.getLast()).next();
            }
            figures.accept(Figure.single(
                    "heap more for 100 watchers and their clients, 4,096 functions", "MB", (heap() - before) / 1e6));
            channels.forEach(ManagedChannel::shutdownNow);
            Samples scrapes = new Samples();
            scrape(metrics, WARM_UP, new Samples());
            scrape(metrics, SCRAPES, scrapes);
            figures.accept(scrapes.millis("scrape, 4,096 functions").with(Target.p99(100)));
        }
    }

    private static void measureGrowth(Consumer<Figure> figures) throws Exception {
        try (Rig rig = few(event -> {});
                Metrics metrics = metrics(rig)) {
            scrape(metrics, WARM_UP, new Samples());
            long before = heap();
            scrape(metrics, SCRAPES_FOR_GROWTH, new Samples());
            figures.accept(
                    Figure.single("heap more after 10,000 scrapes, 256 functions", "MB", (heap() - before) / 1e6));
        }
    }

    /** They are served once this returns. */
    private static Metrics metrics(Rig rig) throws IOException, InterruptedException {
        Metrics metrics = new Metrics(
                rig.view(),
                rig.node().sysfs(),
                false,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                null);
        if (metrics.awaitAddress(PATIENCE).isEmpty()) {
            metrics.close();
            throw new IOException("the metrics are not served within " + PATIENCE);
        }
        return metrics;
    }

    private static Rig few(Consumer<KubeletEvent> listener) throws IOException {
        return Rig.open(
                BigNode.tree(FEW), List.of(BigNode.allVfs()), SimulatedNode::uevents, Duration.ofMillis(20), listener);
    }

    private static StatusSocket open(Rig rig) throws IOException {
        return new StatusSocket(path(rig), rig.view(), rig.monitor(), new DaemonHistory("bench", Instant.now()));
    }

    private static Path path(Rig rig) {
        return rig.directory().resolve("s.sock");
    }

    private static Iterator<Node> watch(ManagedChannel channel) {
        return NodeStatusGrpc.newBlockingStub(channel).watch(WatchRequest.getDefaultInstance());
    }

    private static void await(Iterator<Node> watcher, int devices) {
        Node node = watcher.next();
        while (node.getResources(0).getTotal() != devices) {
            node = watcher.next();
        }
    }

    private static void scrape(Metrics metrics, int times, Samples samples) throws IOException {
        InetSocketAddress address = metrics.address().orElseThrow();
        byte[] request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < times; i++) {
            long begun = System.nanoTime();
            try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
                socket.getOutputStream().write(request);
                InputStream in = socket.getInputStream();
                byte[] buffer = new byte[64 << 10];
                while (in.read(buffer) >= 0) {
                    // only the time counts
                }
            }
            samples.add(System.nanoTime() - begun);
        }
    }

    private static long heap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
