package io.edgeplug.cli;

import io.edgeplug.config.Config;
import io.edgeplug.config.ConfigException;
import io.edgeplug.config.ConfigFiles;
import io.edgeplug.container.ContainerDirectories;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.kubelet.DevicePlugins;
import io.edgeplug.linux.Journal;
import io.edgeplug.linux.Signals;
import io.edgeplug.linux.Supervisor;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.linux.SystemdNotify;
import io.edgeplug.linux.UdevMonitor;
import io.edgeplug.linux.UnixRpc;
import io.edgeplug.pods.PreparedClaims;
import io.edgeplug.rules.WantedVfs;
import io.edgeplug.status.KubeletStatus;
import io.edgeplug.status.NodeView;
import io.edgeplug.supply.Preparations;
import io.edgeplug.supply.Supplies;
import io.edgeplug.vfs.NodeVfs;
import io.edgeplug.vfs.VfsDeadlines;
import io.edgeplug.vfs.VfsKeeper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The service: scans, serves, registers, reads its configuration again on SIGHUP, and ends in order on SIGTERM. */
final class Daemon {

    private static final Logger LOG = Logger.getLogger(Daemon.class.getName());

    private final RunOptions options;
    private final Signals signals;
    private final SystemdNotify systemd;
    private final Pulse pulse;
    private Config config;

    private Daemon(RunOptions options, Signals signals, SystemdNotify systemd, Config config) {
        this.options = options;
        this.signals = signals;
        this.systemd = systemd;
        this.pulse = new Pulse(systemd);
        this.config = config;
    }

    static int run(RunOptions options) throws ConfigException, IOException, InterruptedException {
        Thread.setDefaultUncaughtExceptionHandler(Daemon::endWithBug);
        Signals signals = Signals.ofService();
        UdevMonitor.loadInBackground();
        UnixRpc.loadInBackground();
        Config config = ConfigFiles.read(options.config());
        Journal.open(config.logLevel());
        Supervisor.problem()
                .ifPresent(
                        problem -> LOG.warning("programs of classes run as processes of this daemon, in the sandbox of "
                                + "its service and without limits: " + problem));
        new Daemon(options, signals, SystemdNotify.ofEnvironment(), config).run();
        return ExitCode.OK;
    }

    private void run() throws IOException, InterruptedException {
        // uevents are of this node's devices, wherever its /sys is mounted; of another's they tell nothing
        try (Sysroot sysroot = Sysroot.open(options.sysroot());
                Monitor monitor = Monitor.open(
                        sysroot.sysfs(), config.classes(), UdevMonitor.open(), config.settle(), pulse.heartbeat());
                Preparations preparations = new Preparations(sysroot.sysfs(), monitor, kubeletDir());
                VfsKeeper vfs = keepVfs(sysroot, monitor)) {
            preparations.recover();
            while (serve(sysroot, monitor, preparations, vfs) == Signals.Request.RELOAD) {
                LOG.info("serving elsewhere from now on");
                preparations.use(kubeletDir());
                monitor.settle(config.settle());
                monitor.use(config.classes());
            }
            LOG.info("stopping");
        }
    }

    private VfsKeeper keepVfs(Sysroot sysroot, Monitor monitor) throws IOException {
        VfsKeeper keeper = VfsKeeper.start(
                nodeVfs(sysroot),
                wantedVfs(sysroot.sysfs()),
                () -> monitor.current().devices(),
                VfsDeadlines.USUAL);
        monitor.addListener(keeper::wake);
        // The devices may have changed before the listener was there.
        keeper.wake();
        return keeper;
    }

    private NodeVfs nodeVfs(Sysroot sysroot) throws IOException {
        return VfsNode.of(sysroot, Optional.of(kubelet()));
    }

    /** Only the PFs of this node can be told to make VFs. */
    private List<WantedVfs> wantedVfs(Sysfs sysfs) {
        return sysfs.locate("").equals(Path.of(RunOptions.DEFAULT_SYSROOT)) ? config.vfs() : List.of();
    }

    /** Serves until the end is asked for, or a configuration that has sockets or files elsewhere has been read. */
    private Signals.Request serve(Sysroot sysroot, Monitor monitor, Preparations preparations, VfsKeeper vfs)
            throws IOException, InterruptedException {
        // before anything returns to its host driver that a claim has
        PreparedClaims claims = PreparedClaims.read(PreparedClaims.directory(sysroot.root()));
        claims.unread().forEach(LOG::warning);
        try (Supplies supplies = Supplies.open(
                        sysroot.sysfs(),
                        new ContainerDirectories(config.cdiDir(), config.deviceInfoDir()),
                        monitor,
                        config.classes());
                DevicePlugins plugins = plugins(supplies, preparations, claims);
                Claiming claiming = Claiming.start(
                        config,
                        kubelet(),
                        PreparedClaims.boot(sysroot.root()),
                        supplies,
                        preparations,
                        plugins,
                        claims);
                Pulse.Asking asking = pulse.ask(plugins);
                StatusLine status = ready(monitor, plugins);
                Reporting reporting = Reporting.start(
                        view(supplies, preparations, plugins, claiming), monitor, sysroot, preparations, plugins)) {
            reporting.use(config.reports());
            LOG.info("ready");
            while (signals.next() == Signals.Request.RELOAD) {
                systemd.reloading();
                Config before = config;
                Optional<String> problem = readAgain(monitor);
                vfs.use(nodeVfs(sysroot), wantedVfs(sysroot.sysfs()));
                if (!config.isServedAs(before)) {
                    reporting.leave(config.reports());
                    claiming.leave(config);
                    return Signals.Request.RELOAD;
                }
                reporting.use(config.reports());
                if (problem.isEmpty()) {
                    monitor.settle(config.settle());
                    plugins.use(config.classes());
                }
                status.ready(config.classes(), problem);
            }
            systemd.stopping();
            return Signals.Request.END;
        }
    }

    private static NodeView view(
            Supplies supplies, Preparations preparations, DevicePlugins plugins, Claiming claiming) {
        return new NodeView(
                supplies,
                preparations,
                plugins.pods(),
                () -> new KubeletStatus(
                        plugins.hasKubelet(),
                        Stream.concat(plugins.registered().stream(), claiming.registered().stream())
                                .collect(Collectors.toSet()),
                        plugins.registrations()),
                claiming::status);
    }

    /** systemd starts the kubelet once this is ready, if both are to be started. */
    private StatusLine ready(Monitor monitor, DevicePlugins plugins) throws InterruptedException {
        plugins.rehearse();
        return StatusLine.start(systemd, monitor, plugins, config.classes());
    }

    /** Takes up the configuration as it is now; one with mistakes changes nothing, and they are told. */
    private Optional<String> readAgain(Monitor monitor) {
        try {
            Config newest = ConfigFiles.read(options.config());
            NodeFit.check(newest.classes(), monitor.current().devices());
            config = newest;
            Journal.level(config.logLevel());
            LOG.info("configuration read again");
            return Optional.empty();
        } catch (ConfigException e) {
            String mistakes = String.valueOf(e.getMessage());
            mistakes.lines().forEach(LOG::warning);
            LOG.warning("configuration not taken up: all stays as it was");
            return Optional.of("configuration has mistakes and is not taken up, see edgeplug check");
        }
    }

    /** A thread that ended would leave a daemon that looks alive; systemd starts a new one. */
    private static void endWithBug(Thread thread, Throwable bug) {
        System.err.println("edgeplug: bug in thread " + thread.getName() + ", please report it");
        bug.printStackTrace();
        Runtime.getRuntime().halt(ExitCode.BUG);
    }

    private DevicePlugins plugins(Supplies supplies, Preparations preparations, PreparedClaims claims)
            throws IOException {
        return switch (config.registration()) {
            case DEVICE_PLUGINS -> DevicePlugins.open(kubeletDir(), kubeletRoot(), supplies, preparations, claims);
            case PLUGINS_REGISTRY ->
                DevicePlugins.openInRegistry(registry(), kubeletDir(), kubeletRoot(), supplies, preparations, claims);
        };
    }

    /** A kubelet has both of the directories in which plugins register in its root directory, unless it was moved. */
    private Path kubeletRoot() {
        Path registeredIn = switch (config.registration()) {
            case DEVICE_PLUGINS -> kubeletDir();
            case PLUGINS_REGISTRY -> registry();
        };
        return config.kubeletRoot().orElse(registeredIn.toAbsolutePath().resolveSibling(""));
    }

    private NodeVfs.Kubelet kubelet() {
        return new NodeVfs.Kubelet(kubeletDir(), kubeletRoot());
    }

    private Path registry() {
        return options.kubeletDir().orElse(config.pluginsRegistryDir());
    }

    /** Where the kubelet notes who holds what; the option may name its registry instead. */
    private Path kubeletDir() {
        return switch (config.registration()) {
            case DEVICE_PLUGINS -> options.kubeletDir().orElse(config.kubeletDir());
            case PLUGINS_REGISTRY -> config.kubeletDir();
        };
    }
}
