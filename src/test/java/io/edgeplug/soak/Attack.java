package io.edgeplug.soak;

import io.edgeplug.system.rpc.UnixRpc;
import io.edgeplug.system.udev.UeventSender;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A daemon under attack, with all that it lives on; one thread attacks. */
final class Attack implements AutoCloseable {

    /** A device that had a problem, as a name that a foreign specification had too, is looked at again after 10 s. */
    static final long PATIENCE_MILLIS = 15_000;

    private static final int RESOURCES = 6;
    private static final Pattern RELOADED = Pattern.compile("(?m)^((warning|error): )?configuration .*\n");

    private final UnixRpc rpc = UnixRpc.open();
    private final UeventSender uevents = new UeventSender();
    private final ServerSocketChannel udevd;
    private final List<String> found = new ArrayList<>();
    private final StringBuilder log = new StringBuilder();
    private long logged;
    private Ground ground = Ground.lay();
    private KubeletSide kubelet = new KubeletSide(rpc, ground.kubeletDir());
    private Target target = Target.start(ground);
    private Probe probe;

    private Attack(ServerSocketChannel udevd) throws IOException, InterruptedException {
        this.udevd = udevd;
        this.probe = begin();
    }

    /** Starts it; in namespaces of one's own. */
    static Attack open() throws IOException, InterruptedException {
        // as long as this listens, the daemon believes that a udevd runs, and hears udevd's group
        ServerSocketChannel udevd = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        udevd.bind(UnixDomainSocketAddress.of("/run/udev/control"));
        return new Attack(udevd);
    }

    private Probe begin() throws IOException, InterruptedException {
        boolean isReady = target.awaitReady(60);
        kubelet.come(KubeletSide::follow);
        if (!isReady || !kubelet.await(lists -> lists.size() == RESOURCES, 3 * PATIENCE_MILLIS)) {
            String words = target.lastWords();
            target.close();
            ground.delete();
            throw new IOException("the daemon does not start or does not register all resources: " + words);
        }
        return Probe.start(rpc, () -> socket(Ground.PROBE), target);
    }

    /** A new daemon on new ground, for the old one has fallen or is no longer sound. */
    void anew() throws IOException, InterruptedException {
        probe.close();
        kubelet.close();
        target.close();
        ground.delete();
        log.setLength(0);
        logged = 0;
        ground = Ground.lay();
        kubelet = new KubeletSide(rpc, ground.kubeletDir());
        target = Target.start(ground);
        probe = begin();
    }

    UnixRpc rpc() {
        return rpc;
    }

    UeventSender uevents() {
        return uevents;
    }

    Ground ground() {
        return ground;
    }

    KubeletSide kubelet() {
        return kubelet;
    }

    Target target() {
        return target;
    }

    Probe probe() {
        return probe;
    }

    /** Notes what should not be so. */
    void found(String what) {
        found.add(what);
    }

    /** What was noted since this was asked last. */
    List<String> takeFound() {
        List<String> taken = List.copyOf(found);
        found.clear();
        return taken;
    }

    /** The socket of a resource, as it is now, or as soon as it is there. */
    Path socket(String resource) throws IOException {
        return socket(ground, target, resource);
    }

    /** The same of another daemon. */
    static Path socket(Ground ground, Target target, String resource) throws IOException {
        long end = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
        Optional<Path> found = socketNow(ground, resource);
        while (found.isEmpty() && target.isAlive() && System.nanoTime() < end) {
            LockSupport.parkNanos(1_000_000);
            found = socketNow(ground, resource);
        }
        return found.orElseThrow(() -> new IOException(resource + ": has no socket"));
    }

    private static Optional<Path> socketNow(Ground ground, String resource) throws IOException {
        try (Stream<Path> sockets = Files.list(ground.kubeletDir().resolve("edgeplug"))) {
            String begin = "edgeplug-" + resource.replace('/', '_') + "-";
            return sockets.filter(one -> one.getFileName().toString().startsWith(begin))
                    .findFirst();
        }
    }

    /** Announces a function. */
    void announce(String address) {
        uevents.send(UeventSender.valid("change", Ground.devpath(address), "pci"));
    }

    /** Waits until the daemon has taken all uevents. */
    void awaitHeard() throws IOException {
        long end = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
        while (UeventSender.waiting().bytes() > 0 && target.isAlive() && System.nanoTime() < end) {
            LockSupport.parkNanos(500_000);
        }
    }

    /** Has the configuration read again, and says whether the log told of the outcome in time. */
    boolean reload() throws IOException {
        pullLog();
        int from = log.length();
        target.reload();
        long end = System.nanoTime() + 3 * PATIENCE_MILLIS * 1_000_000;
        while (target.isAlive() && System.nanoTime() < end) {
            pullLog();
            if (RELOADED.matcher(log).region(from, log.length()).find()) {
                return true;
            }
            LockSupport.parkNanos(1_000_000);
        }
        return false;
    }

    /** Gives the many VFs a class with these lines, and says whether the kubelet has the list of it in time. */
    boolean many(String lines) throws IOException, InterruptedException {
        kubelet.forget(Ground.MANY);
        ground.classes("many", Ground.many(lines));
        return reload() && kubelet.await(lists -> lists.containsKey(Ground.MANY), 3 * PATIENCE_MILLIS);
    }

    /** Ends an attack on the class of the many VFs. */
    void manyAsBefore() throws IOException, InterruptedException {
        boolean ignored = many(Ground.SOUND);
    }

    private void pullLog() throws IOException {
        Target.Log news = target.news();
        logged += news.bytes();
        log.append(news.text());
    }

    /** What the daemon wrote since this was asked last. */
    Target.Log takeLog() throws IOException {
        pullLog();
        Target.Log taken = new Target.Log(log.toString(), logged);
        log.setLength(0);
        logged = 0;
        return taken;
    }

    /** Lets the daemon work for so long, or until it ends. */
    void pass(long millis) {
        long end = System.nanoTime() + millis * 1_000_000;
        while (target.isAlive() && System.nanoTime() < end) {
            LockSupport.parkNanos(10_000_000);
        }
    }

    /** Has a new kubelet come that does as it should, and says whether it got all. */
    boolean soundKubelet(Map<String, Integer> least) throws IOException, InterruptedException {
        kubelet.come(KubeletSide::follow);
        return kubelet.await(lists -> lists.keySet().containsAll(least.keySet()), 3 * PATIENCE_MILLIS);
    }

    /** Whether the daemon still sees a change and tells the kubelet: falls off, and comes back. */
    boolean follows() throws IOException, InterruptedException {
        for (String wanted : List.of("Unhealthy", "Healthy")) {
            ground.answer(Ground.FLIP_VF, wanted.equals("Healthy"));
            announce(Ground.FLIP_VF);
            if (!kubelet.await(
                    lists -> lists.getOrDefault(Ground.FLIP, Map.of())
                            .getOrDefault(Ground.FLIP_VF, "")
                            .equals(wanted),
                    PATIENCE_MILLIS)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() throws IOException {
        probe.close();
        kubelet.close();
        target.close();
        ground.delete();
        rpc.close();
        uevents.close();
        udevd.close();
    }
}
