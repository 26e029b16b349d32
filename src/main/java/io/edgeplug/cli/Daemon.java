package io.edgeplug.cli;

import io.edgeplug.config.Config;
import io.edgeplug.config.ConfigException;
import io.edgeplug.config.ConfigFiles;
import io.edgeplug.inventory.Heartbeat;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.kubelet.DevicePlugins;
import io.edgeplug.kubelet.Preparations;
import io.edgeplug.linux.Journal;
import io.edgeplug.linux.Signals;
import io.edgeplug.linux.SystemdNotify;
import io.edgeplug.linux.UdevMonitor;
import java.io.IOException;
import java.util.logging.Logger;

/** The service: scans, serves, registers, and ends in order on SIGTERM. */
final class Daemon {

    private static final Logger LOG = Logger.getLogger(Daemon.class.getName());

    private Daemon() {}

    static int run(RunOptions options) throws ConfigException, IOException, InterruptedException {
        Thread.setDefaultUncaughtExceptionHandler(Daemon::endWithBug);
        Signals.Termination termination = Signals.onTermination();
        Config config = ConfigFiles.read(options.config());
        Journal.toStderr(config.logLevel());
        SystemdNotify systemd = SystemdNotify.ofEnvironment();
        try (Sysroot sysroot = Sysroot.open(options.sysroot());
                Monitor monitor = monitor(sysroot, config, heartbeat(systemd));
                Preparations preparations = new Preparations(sysroot.sysfs(), monitor);
                DevicePlugins plugins = plugins(options, config, monitor, preparations)) {
            LOG.info("ready");
            systemd.ready("");
            termination.await();
            LOG.info("stopping");
            systemd.stopping();
        }
        return ExitCode.OK;
    }

    /** A stuck inventory is a restart: three beats must be missed. */
    private static Heartbeat heartbeat(SystemdNotify systemd) {
        return systemd.watchdog()
                .map(patience -> new Heartbeat(patience.dividedBy(3), systemd::alive))
                .orElse(Heartbeat.NONE);
    }

    /** A thread that ended would leave a daemon that looks alive; systemd starts a new one. */
    private static void endWithBug(Thread thread, Throwable bug) {
        System.err.println("edgeplug: bug in thread " + thread.getName() + ", please report it");
        bug.printStackTrace();
        Runtime.getRuntime().halt(ExitCode.BUG);
    }

    private static Monitor monitor(Sysroot sysroot, Config config, Heartbeat heartbeat) throws IOException {
        // of this node's devices, wherever its /sys is mounted; of another's it tells nothing
        return Monitor.open(sysroot.sysfs(), config.classes(), UdevMonitor.open(), config.settle(), heartbeat);
    }

    private static DevicePlugins plugins(RunOptions options, Config config, Monitor monitor, Preparations preparations)
            throws IOException, InterruptedException {
        preparations.recover();
        return switch (config.registration()) {
            case DEVICE_PLUGINS ->
                DevicePlugins.open(
                        options.kubeletDir().orElse(config.kubeletDir()), monitor, preparations, config.classes());
            case PLUGINS_REGISTRY ->
                DevicePlugins.openInRegistry(
                        options.kubeletDir().orElse(config.pluginsRegistryDir()),
                        monitor,
                        preparations,
                        config.classes());
        };
    }
}
