package io.edgeplug.cli;

import io.edgeplug.config.Reports;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.kubelet.DevicePlugins;
import io.edgeplug.metrics.Metrics;
import io.edgeplug.status.LabelPublisher;
import io.edgeplug.status.NodeView;
import io.edgeplug.status.StatusSocket;
import io.edgeplug.supply.Preparations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.logging.Logger;

/**
 * The reports of the daemon other than to the kubelet: its status to callers, and metrics and labels as configured; one
 * thread.
 */
final class Reporting implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(Reporting.class.getName());

    private final NodeView view;
    private final Monitor monitor;
    private final Sysroot sysroot;
    private final Preparations preparations;
    private final Optional<StatusSocket> socket;
    private final List<Thread> followers;
    private Reports reports = Reports.NONE;
    private Optional<Metrics> metrics = Optional.empty();
    private Optional<LabelPublisher> labels = Optional.empty();

    private final Runnable listener;

    private Reporting(
            NodeView view,
            Monitor monitor,
            Sysroot sysroot,
            Preparations preparations,
            Optional<StatusSocket> socket,
            List<Thread> followers) {
        this.view = view;
        this.monitor = monitor;
        this.sysroot = sysroot;
        this.preparations = preparations;
        this.listener = () -> socket.ifPresent(StatusSocket::wake);
        preparations.addListener(listener);
        this.socket = socket;
        this.followers = followers;
    }

    /** Serves the status on this node. If that is not possible, as for an ordinary user, the daemon runs without it. */
    static Reporting start(
            NodeView view, Monitor monitor, Sysroot sysroot, Preparations preparations, DevicePlugins plugins) {
        Optional<StatusSocket> socket = open(sysroot.root().resolve(StatusSocket.PATH), view, monitor);
        List<Thread> followers = socket.stream()
                .flatMap(one ->
                        List.of(follower(plugins::awaitNewerThan, one), follower(plugins::awaitNotes, one)).stream())
                .toList();
        followers.forEach(Thread::start);
        return new Reporting(view, monitor, sysroot, preparations, socket, followers);
    }

    private static Optional<StatusSocket> open(Path path, NodeView view, Monitor monitor) {
        try {
            Files.createDirectories(path.resolveSibling(""));
            return Optional.of(StatusSocket.open(path, view, monitor, Version.text()));
        } catch (IOException e) {
            LOG.info("edgeplug status will not work: cannot serve " + path + ": " + e.getMessage());
            return Optional.empty();
        }
    }

    /** Waits for news with a higher number. */
    private interface News {
        long awaitNewerThan(long number) throws InterruptedException;
    }

    private static Thread follower(News news, StatusSocket socket) {
        return Thread.ofVirtual().name("news for the status").unstarted(() -> {
            try {
                long number = -1;
                while (true) {
                    number = news.awaitNewerThan(number);
                    socket.wake();
                }
            } catch (InterruptedException e) {
                LOG.finest("no longer followed");
            }
        });
    }

    /** Changes the reports. Unchanged reports go on. */
    void use(Reports newest) throws IOException {
        if (!newest.metricsListen().equals(reports.metricsListen())
                || !newest.metricsTextfile().equals(reports.metricsTextfile())) {
            metrics.ifPresent(Metrics::close);
            metrics = newest.hasMetrics()
                    ? Optional.of(Metrics.start(
                            view,
                            sysroot.sysfs(),
                            sysroot.isThisNode(),
                            newest.metricsListen(),
                            newest.metricsTextfile()))
                    : Optional.empty();
        }
        if (newest.nfdLabels() != reports.nfdLabels()) {
            removeLabels();
            labels = newest.nfdLabels()
                    ? Optional.of(LabelPublisher.start(view, monitor, LabelPublisher.DIRECTORY))
                    : Optional.empty();
        }
        reports = newest;
    }

    /** Removes files that would stay, if the next configuration has turned them off. */
    void leave(Reports next) {
        if (!next.nfdLabels()) {
            removeLabels();
        }
    }

    private void removeLabels() {
        labels.ifPresent(publisher -> {
            publisher.close();
            publisher.remove();
        });
        labels = Optional.empty();
    }

    @Override
    public void close() {
        preparations.removeListener(listener);
        followers.forEach(Thread::interrupt);
        socket.ifPresent(StatusSocket::close);
        metrics.ifPresent(Metrics::close);
        labels.ifPresent(LabelPublisher::close);
    }
}
