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

/**
 * The service: scans, serves and registers. It reads its configuration again on SIGHUP, and stops cleanly on SIGTERM.
 */
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
        // Uevents are those of this node, wherever its /sys is mounted. They say nothing about another node.
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

    /** Only the PFs of this node can make VFs. */
    private List<WantedVfs> wantedVfs(Sysfs sysfs) {
        return sysfs.locate("").equals(Path.of(RunOptions.DEFAULT_SYSROOT)) ? config.vfs() : List.of();
    }

    /** Serves until it must stop, or until a new configuration has its sockets or files elsewhere. */
    private Signals.Request serve(Sysroot sysroot, Monitor monitor, Preparations preparations, VfsKeeper vfs)
            throws IOException, InterruptedException {
        // This comes before any device of a claim could return to its host driver.
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

    /** If systemd starts both, it starts the kubelet once this is ready. */
    private StatusLine ready(Monitor monitor, DevicePlugins plugins) throws InterruptedException {
        plugins.rehearse();
        return StatusLine.start(systemd, monitor, plugins, config.classes());
    }

    /** Reads the configuration again. If it has mistakes, they are logged and nothing changes. */
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

    /** Without the thread, the daemon would only look alive. systemd starts a new one. */
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

    /** A kubelet's root directory contains both directories in which plugins register, unless they were moved. */
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

    /** The directory in which the kubelet notes holders. The option may name its registry instead. */
    private Path kubeletDir() {
        return switch (config.registration()) {
            case DEVICE_PLUGINS -> options.kubeletDir().orElse(config.kubeletDir());
            case PLUGINS_REGISTRY -> config.kubeletDir();
        };
    }
}
