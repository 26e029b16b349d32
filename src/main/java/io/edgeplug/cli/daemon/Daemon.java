package io.edgeplug.cli.daemon;

import io.edgeplug.api.kubelet.DevicePlugins;
import io.edgeplug.api.status.ConfigurationStatus;
import io.edgeplug.api.status.DaemonHistory;
import io.edgeplug.api.status.NodeStatus.KubeletStatus;
import io.edgeplug.api.status.NodeView;
import io.edgeplug.cli.notes.NodeFit;
import io.edgeplug.cli.notes.VfsNode;
import io.edgeplug.cli.options.ExitCode;
import io.edgeplug.cli.options.RunOptions;
import io.edgeplug.cli.options.Sysroot;
import io.edgeplug.cli.options.Version;
import io.edgeplug.model.config.Config;
import io.edgeplug.model.config.ConfigException;
import io.edgeplug.model.config.ConfigReading;
import io.edgeplug.model.rules.WantedVfs;
import io.edgeplug.node.container.ContainerDirectories;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.node.pods.PreparedClaims;
import io.edgeplug.node.supply.Preparations;
import io.edgeplug.node.supply.Supplies;
import io.edgeplug.node.vfs.NodeVfs;
import io.edgeplug.node.vfs.VfsDeadlines;
import io.edgeplug.node.vfs.VfsKeeper;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.kernel.Signals;
import io.edgeplug.system.programs.Supervisor;
import io.edgeplug.system.rpc.UnixRpc;
import io.edgeplug.system.systemd.Journal;
import io.edgeplug.system.systemd.SystemdNotify;
import io.edgeplug.system.udev.UdevMonitor;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The service: scans, serves and registers. It reads its configuration again on SIGHUP, and stops cleanly on SIGTERM.
 */
public final class Daemon {

    private static final Logger LOG = Logger.getLogger(Daemon.class.getName());

    /** A changed class leaves threads behind that end some seconds later. So there may be only so many changes. */
    private static final Duration AFTER_CHANGE = Duration.ofMillis(500);

    private final RunOptions options;
    private final Signals signals;
    private final SystemdNotify systemd;
    private final Pulse pulse;
    private final DaemonHistory history;
    private Config config;

    private Daemon(RunOptions options, Signals signals, SystemdNotify systemd, DaemonHistory history, Config config) {
        this.options = options;
        this.signals = signals;
        this.systemd = systemd;
        this.pulse = new Pulse(systemd);
        this.history = history;
        this.config = config;
    }

    public static int run(RunOptions options) throws ConfigException, IOException, InterruptedException {
        endOnBugs();
        Signals signals = Signals.ofService();
        UdevMonitor.loadInBackground();
        UnixRpc.loadInBackground();
        ConfigReading reading = new ConfigReading(options.config());
        Config config = reading.read();
        Journal.open(config.logLevel());
        try (DaemonHistory history = new DaemonHistory(Version.text(), Instant.now())) {
            history.noteReading(reading::firstChange);
            Supervisor.problem()
                    .ifPresent(problem ->
                            LOG.warning("programs of classes run as processes of this daemon, in the sandbox of "
                                    + "its service and without limits: " + problem));
            new Daemon(options, signals, SystemdNotify.ofEnvironment(), history, config).run();
        }
        return ExitCode.OK;
    }

    private void run() throws IOException, InterruptedException {
        // Uevents are those of this node, wherever its /sys is mounted. They say nothing about another node.
        try (Sysroot sysroot = Sysroot.open(options.sysroot());
                Monitor monitor = Monitor.open(
                        sysroot.sysfs(), config.classes(), UdevMonitor.open(), config.settle(), pulse.heartbeat());
                Preparations preparations = new Preparations(sysroot.sysfs(), monitor, kubeletDir());
                VfsKeeper vfs = keepVfs(sysroot, monitor);
                ReloadNotes notes = new ReloadNotes(monitor, sysroot.sysfs())) {
            preparations.recover();
            while (serve(sysroot, monitor, preparations, vfs, notes) == Signals.Request.RELOAD) {
                LOG.info("serving elsewhere from now on");
                preparations.use(kubeletDir());
                monitor.settle(config.settle());
                monitor.use(config.classes());
                notes.look(config.classes(), config.settle());
            }
            LOG.info("stopping");
        }
    }

    private VfsKeeper keepVfs(Sysroot sysroot, Monitor monitor) throws IOException {
        VfsKeeper keeper = VfsKeeper.start(
                VfsNode.of(sysroot, kubelet()),
                wantedVfs(sysroot.sysfs()),
                () -> monitor.current().devices(),
                VfsDeadlines.USUAL);
        monitor.publication().addListener(keeper::wake);
        // The devices may have changed before the listener was there.
        keeper.wake();
        return keeper;
    }

    /** Only the PFs of this node can make VFs. */
    private List<WantedVfs> wantedVfs(Sysfs sysfs) {
        return sysfs.locate("").equals(Path.of(RunOptions.DEFAULT_SYSROOT)) ? config.vfs() : List.of();
    }

    /** Serves until it must stop, or until a new configuration has its sockets or files elsewhere. */
    private Signals.Request serve(
            Sysroot sysroot, Monitor monitor, Preparations preparations, VfsKeeper vfs, ReloadNotes notes)
            throws IOException, InterruptedException {
        // This comes before any device of a claim could return to its host driver.
        PreparedClaims claims = PreparedClaims.read(PreparedClaims.directory(sysroot.root()));
        claims.unread().forEach(LOG::warning);
        // Each uses only those above it, and they end in the opposite order. The kubelet is served first, because its
        // pods wait. The watchdog asks the sockets only while they are open. systemd may start the kubelet once this is
        // ready. Nobody's start waits for the reports.
        try (Supplies supplies = supplies(sysroot, monitor);
                DevicePlugins plugins = plugins(supplies, preparations, claims);
                Claiming claiming = claiming(sysroot, supplies, preparations, plugins, claims);
                Pulse.Asking asking = pulse.ask(plugins);
                StatusLine status = ready(monitor, plugins, preparations);
                Reporting reporting = reporting(sysroot, monitor, supplies, preparations, plugins, claiming)) {
            reporting.use(config.reports());
            LOG.info("ready");
            plugins.started();
            while (signals.next() == Signals.Request.RELOAD) {
                systemd.reloading();
                Config before = config;
                boolean isTaken = readAgain(monitor);
                vfs.use(kubelet(), wantedVfs(sysroot.sysfs()));
                if (!config.isServedAs(before)) {
                    reporting.leave(config.reports());
                    claiming.leave(config);
                    return Signals.Request.RELOAD;
                }
                reporting.use(config.reports());
                if (isTaken) {
                    monitor.settle(config.settle());
                    plugins.use(config.classes());
                    notes.look(config.classes(), config.settle());
                }
                status.ready(config.classes());
            }
            systemd.stopping();
            return Signals.Request.END;
        }
    }

    private Supplies supplies(Sysroot sysroot, Monitor monitor) throws IOException {
        return new Supplies(
                sysroot.sysfs(),
                new ContainerDirectories(config.cdiDir(), config.deviceInfoDir()),
                monitor,
                config.classes());
    }

    private Claiming claiming(
            Sysroot sysroot, Supplies supplies, Preparations preparations, DevicePlugins plugins, PreparedClaims claims)
            throws IOException {
        Path boot = PreparedClaims.boot(sysroot.root());
        return Claiming.start(config, kubelet(), boot, supplies, preparations, plugins, claims);
    }

    private Reporting reporting(
            Sysroot sysroot,
            Monitor monitor,
            Supplies supplies,
            Preparations preparations,
            DevicePlugins plugins,
            Claiming claiming) {
        Supplier<KubeletStatus> kubelet = () -> new KubeletStatus(
                plugins.kubeletAbsence(),
                Stream.concat(plugins.registered().stream(), claiming.registered().stream())
                        .collect(Collectors.toSet()),
                plugins.registrations());
        NodeView view = new NodeView(supplies, preparations, kubelet, claiming::status);
        return new Reporting(view, monitor, sysroot, preparations, plugins, history);
    }

    /** If systemd starts both, it starts the kubelet once this is ready. */
    private StatusLine ready(Monitor monitor, DevicePlugins plugins, Preparations preparations)
            throws InterruptedException {
        plugins.rehearse();
        return new StatusLine(systemd, monitor, plugins, preparations.holderNotes(), config.classes(), history);
    }

    /** Reads the configuration again. If it has mistakes, they are logged and nothing changes. */
    private boolean readAgain(Monitor monitor) {
        Config newest;
        ConfigReading reading = new ConfigReading(options.config());
        history.noteReading(reading::firstChange);
        try {
            newest = reading.read();
        } catch (ConfigException e) {
            refuse(e, true);
            return false;
        }
        try {
            NodeFit.check(newest.classes(), monitor.current().devices());
        } catch (ConfigException e) {
            // A daemon that starts with it lists fewer shares.
            refuse(e, false);
            return false;
        }
        if (!newest.equals(config)) {
            signals.pauseReloads(AFTER_CHANGE);
        }
        config = newest;
        Journal.level(config.logLevel());
        history.note(ConfigurationStatus.inUse(Instant.now()));
        LOG.info("configuration read again");
        return true;
    }

    private void refuse(ConfigException e, boolean preventsStart) {
        List<String> mistakes = String.valueOf(e.getMessage()).lines().toList();
        history.note(history.configuration().refused(new ConfigurationStatus.Refusal(mistakes, preventsStart)));
        mistakes.forEach(LOG::severe);
        LOG.severe("configuration not taken up: all stays as it was");
    }

    /**
     * Lets a bug end the process, unless a {@link io.edgeplug.system.flow.Front} has caught it. Without the thread, the list of
     * devices or their holders might be wrong, and the daemon would only look alive. systemd starts a new one.
     */
    static void endOnBugs() {
        Thread.setDefaultUncaughtExceptionHandler(Daemon::endWithBug);
    }

    private static void endWithBug(Thread thread, Throwable bug) {
        System.err.println("edgeplug: bug in thread " + thread.getName() + ", please report it");
        // The bug may be in the log itself.
        bug.printStackTrace();
        Runtime.getRuntime().halt(ExitCode.BUG);
    }

    private DevicePlugins plugins(Supplies supplies, Preparations preparations, PreparedClaims claims)
            throws IOException {
        return switch (config.registration()) {
            case DEVICE_PLUGINS -> new DevicePlugins(null, kubeletDir(), kubeletRoot(), supplies, preparations, claims);
            case PLUGINS_REGISTRY ->
                new DevicePlugins(registeredIn(), kubeletDir(), kubeletRoot(), supplies, preparations, claims);
        };
    }

    private Path kubeletRoot() {
        return config.kubeletRoot(registeredIn());
    }

    private NodeVfs.Kubelet kubelet() {
        return new NodeVfs.Kubelet(kubeletDir(), kubeletRoot());
    }

    private Path registeredIn() {
        return options.kubeletDir().orElse(config.registeredIn());
    }

    /** The directory in which the kubelet notes holders. The option may name its registry instead. */
    private Path kubeletDir() {
        return switch (config.registration()) {
            case DEVICE_PLUGINS -> registeredIn();
            case PLUGINS_REGISTRY -> config.kubeletDir();
        };
    }
}
