package io.edgeplug.model.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A reading of a configuration that is begun anew while its files are written or replaced. So a file that is half
 * written or missing for a moment costs no class and is no mistake.
 */
public final class ConfigReading {

    /** How often it is read at most. Whoever writes all the time does not keep the daemon from its work. */
    private static final int MOST = 3;

    private final Path mainFile;
    private volatile ConfigStamps stamps;

    /** One look at all files, which somebody may write meanwhile. */
    interface Look<E extends Exception> {
        Config read(Path mainFile) throws ConfigException, E;
    }

    /** Reads no file yet, but notes when each was written. */
    public ConfigReading(Path mainFile) {
        this.mainFile = mainFile;
        this.stamps = ConfigStamps.of(mainFile);
    }

    /**
     * Reads all files.
     *
     * @throws ConfigException with every mistake in every file, or if they define neither a class nor VFs
     */
    public Config read() throws ConfigException {
        Config config = read(ConfigFiles::look);
        if (config.classes().isEmpty() && config.vfs().isEmpty()) {
            throw new ConfigException(
                    List.of(mainFile + ": defines no [[class]], and class.d beside it does not either"));
        }
        return config;
    }

    /** Looks again while a file differs from what it was before the look. */
    <E extends Exception> Config read(Look<E> look) throws ConfigException, E {
        for (int looks = 1; looks < MOST; looks++) {
            try {
                Config config = look.read(mainFile);
                if (firstChange().isEmpty()) {
                    return config;
                }
            } catch (ConfigException e) {
                if (firstChange().isEmpty()) {
                    throw e;
                }
            }
            stamps = ConfigStamps.of(mainFile);
        }
        return look.read(mainFile);
    }

    /** The first file that is new, was written or was removed since the last look began. */
    public Optional<Path> firstChange() {
        return stamps.firstChange(ConfigStamps.of(mainFile));
    }
}
