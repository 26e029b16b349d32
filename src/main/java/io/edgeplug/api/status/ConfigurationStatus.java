package io.edgeplug.api.status;

import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The configuration in use, and why the one on disk is not in use.
 *
 * @param read when the one in use was read
 * @param refusal of a newer one, by the last reload
 */
public record ConfigurationStatus(Instant read, Optional<Refusal> refusal) {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT).withZone(ZoneId.systemDefault());

    /** A mistake begins with its file, and its line if it has one. */
    private static final Pattern PLACE = Pattern.compile("(.+?: line \\d+|.+?): .*");

    /**
     * A configuration that a reload did not take up.
     *
     * @param mistakes all of them, each a line
     * @param preventsStart whether a new process would not start with it either
     */
    public record Refusal(List<String> mistakes, boolean preventsStart) {

        public Refusal {
            mistakes = List.copyOf(mistakes);
        }

        /** Where to look first, such as {@code edgeplug.toml: line 5, and 2 more}. */
        private String places() {
            Matcher first = PLACE.matcher(mistakes.getFirst());
            String place = first.matches() ? first.group(1) : mistakes.getFirst();
            return mistakes.size() == 1 ? place : place + ", and " + (mistakes.size() - 1) + " more";
        }
    }

    /** The state after a start or a reload that took up what is on disk. */
    public static ConfigurationStatus inUse(Instant read) {
        return new ConfigurationStatus(read, Optional.empty());
    }

    /** The state after a reload that changed nothing. */
    public ConfigurationStatus refused(Refusal newest) {
        return new ConfigurationStatus(read, Optional.of(newest));
    }

    /** A line for {@code edgeplug status} about a file that was changed, and not loaded by a start or a reload. */
    String changed(Path file) {
        return "the one on disk was changed (" + file + ") and not loaded: this daemon runs the one of "
                + TIME.format(read) + "; run edgeplug check, then systemctl reload edgeplug";
    }

    /** A line for {@code edgeplug status} and {@code systemctl status}; empty if what is on disk is in use. */
    public Optional<String> problem() {
        return refusal.map(refused -> (refused.preventsStart()
                        ? "the one on disk has mistakes (" + refused.places() + ")"
                        : "the one on disk does not fit this node (" + refused.places() + ")")
                + ": this daemon runs the one of " + TIME.format(read)
                + (refused.preventsStart() ? ", and will not start again with what is on disk" : "")
                + "; see edgeplug check");
    }
}
