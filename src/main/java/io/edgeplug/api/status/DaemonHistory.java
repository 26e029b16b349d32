package io.edgeplug.api.status;

import io.edgeplug.system.systemd.RecentLog;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What a daemon knows of itself since its process began. A reload may have it serve elsewhere, with a new socket for its
 * status, and this is kept; thread-safe.
 */
public final class DaemonHistory implements AutoCloseable {

    private final String version;
    private final Instant started;
    private final RecentLog log;
    private volatile ConfigurationStatus configuration;
    private volatile Supplier<Optional<Path>> change = Optional::empty;

    /** Begins, with the lines that are logged from now on. */
    public DaemonHistory(String version, Instant started) {
        this.version = version;
        this.started = started;
        this.log = RecentLog.open();
        this.configuration = ConfigurationStatus.inUse(started);
    }

    String version() {
        return version;
    }

    Instant started() {
        return started;
    }

    RecentLog log() {
        return log;
    }

    /** The configuration in use, and the one on disk. */
    public ConfigurationStatus configuration() {
        return configuration;
    }

    /** Notes the outcome of a reload. */
    public void note(ConfigurationStatus newest) {
        configuration = newest;
    }

    /** Notes that the files of the configuration were read, and how to find one that was changed since. */
    public void noteReading(Supplier<Optional<Path>> newest) {
        change = newest;
    }

    /** A file of the configuration that was changed since they were last read. May wait for the disk. */
    Optional<Path> change() {
        return change.get();
    }

    @Override
    public void close() {
        log.close();
    }
}
