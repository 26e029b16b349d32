package io.edgeplug.api.status;

import io.edgeplug.system.files.ForeignDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The file from which node-feature-discovery reads the labels; see "Local feature source" in its documentation. One
 * thread.
 *
 * <p>It expires by itself, so the labels disappear if the daemon does not come back.
 */
final class LabelFile {

    static final String NAME = "edgeplug";

    private static final Duration LIFE = Duration.ofHours(2);
    private static final Duration RENEWED_AFTER = Duration.ofHours(1);

    private final ForeignDirectory directory;
    private SortedMap<String, String> written = new TreeMap<>();
    private @Nullable Instant writtenAt;

    LabelFile(Path directory) {
        this.directory = new ForeignDirectory(directory);
    }

    /**
     * Writes these labels, unless the file has them and does not expire soon.
     *
     * @throws IOException if it cannot be written; the message says why
     */
    void write(SortedMap<String, String> labels, Instant now) throws IOException {
        Instant last = writtenAt;
        boolean isFresh = last != null && !now.isBefore(last) && now.isBefore(last.plus(RENEWED_AFTER));
        if (!isFresh || !labels.equals(written)) {
            directory.replace(NAME, text(labels, now));
            written = labels;
            writtenAt = now;
        }
    }

    void remove() throws IOException {
        if (writtenAt != null) {
            directory.delete(NAME);
        }
    }

    private static String text(Map<String, String> labels, Instant now) {
        StringBuilder text = new StringBuilder("# +expiry-time=")
                .append(now.plus(LIFE).truncatedTo(ChronoUnit.SECONDS))
                .append('\n');
        labels.forEach(
                (name, value) -> text.append(name).append('=').append(value).append('\n'));
        return text.toString();
    }
}
