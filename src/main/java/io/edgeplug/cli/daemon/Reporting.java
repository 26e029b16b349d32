package io.edgeplug.cli.daemon;

import io.edgeplug.api.kubelet.DevicePlugins;
import io.edgeplug.api.metrics.Metrics;
import io.edgeplug.api.status.DaemonHistory;
import io.edgeplug.api.status.LabelPublisher;
import io.edgeplug.api.status.NodeView;
import io.edgeplug.api.status.StatusSocket;
import io.edgeplug.cli.options.Sysroot;
import io.edgeplug.model.config.Config;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.node.supply.Preparations;
import io.edgeplug.system.flow.Follower;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

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
    private final @Nullable StatusSocket socket;
    private final List<Follower> followers;
    private Config.Reports reports = Config.Reports.NONE;
    private @Nullable Metrics metrics;
    private @Nullable LabelPublisher labels;

    private final Runnable listener = this::wake;

    /** Serves the status on this node. If that is not possible, as for an ordinary user, the daemon runs without it. */
    Reporting(
            NodeView view,
            Monitor monitor,
            Sysroot sysroot,
            Preparations preparations,
            DevicePlugins plugins,
            DaemonHistory history) {
        this.view = view;
        this.monitor = monitor;
        this.sysroot = sysroot;
        this.preparations = preparations;
        this.socket = open(sysroot.root().resolve(StatusSocket.PATH), view, monitor, history);
        preparations.addListener(listener);
        this.followers = socket == null
                ? List.of()
                : List.of(
                        plugins.follow("kubelet for the status", Duration.ZERO, listener),
                        plugins.followNotes("notes for the status", listener),
                        preparations.holderNotes().follow("holders for the status", listener));
    }

    private void wake() {
        if (socket != null) {
            socket.wake();
        }
    }

    private static @Nullable StatusSocket open(Path path, NodeView view, Monitor monitor, DaemonHistory history) {
        try {
            Files.createDirectories(path.resolveSibling(""));
            return new StatusSocket(path, view, monitor, history);
        } catch (IOException e) {
            LOG.info("edgeplug status will not work: cannot serve " + path + ": " + e.getMessage());
            return null;
        }
    }

    /** Changes the reports. Unchanged reports go on. */
    void use(Config.Reports newest) throws IOException {
        if (!newest.metricsListen().equals(reports.metricsListen())
                || !newest.metricsTextfile().equals(reports.metricsTextfile())) {
            closeMetrics();
            metrics = newest.hasMetrics()
                    ? new Metrics(
                            view,
                            sysroot.sysfs(),
                            sysroot.isThisNode(),
                            newest.metricsListen().orElse(null),
                            newest.metricsTextfile().orElse(null))
                    : null;
        }
        if (newest.nfdLabels() != reports.nfdLabels()) {
            removeLabels();
            labels = newest.nfdLabels()
                    ? new LabelPublisher(view, monitor, LabelPublisher.DIRECTORY, Clock.systemUTC())
                    : null;
        }
        reports = newest;
    }

    /** Removes files that would stay, if the next configuration has turned them off. */
    void leave(Config.Reports next) {
        if (!next.nfdLabels()) {
            removeLabels();
        }
    }

    private void removeLabels() {
        if (labels != null) {
            labels.close();
            labels.remove();
        }
        labels = null;
    }

    private void closeMetrics() {
        if (metrics != null) {
            metrics.close();
        }
    }

    @Override
    public void close() {
        preparations.removeListener(listener);
        followers.forEach(Follower::close);
        if (socket != null) {
            socket.close();
        }
        closeMetrics();
        if (labels != null) {
            labels.close();
        }
    }
}
