package io.edgeplug.model.config;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A duration in the form of the configuration: {@code 150ms}, {@code 25s}, {@code 5m} or {@code 1h}. */
final class DurationText {

    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(ms|s|m|h)");
    private static final Map<String, ChronoUnit> UNITS =
            Map.of("ms", ChronoUnit.MILLIS, "s", ChronoUnit.SECONDS, "m", ChronoUnit.MINUTES, "h", ChronoUnit.HOURS);
    private static final long HOUR = 3600;

    private DurationText() {}

    /** Empty if it has another form. */
    static Optional<Duration> parse(String text) {
        Matcher parts = FORM.matcher(text);
        return parts.matches()
                ? Optional.of(
                        Duration.of(Long.parseLong(parts.group(1)), Objects.requireNonNull(UNITS.get(parts.group(2)))))
                : Optional.empty();
    }

    /** A duration of whole seconds as text in quotes. */
    static String of(Duration duration) {
        long seconds = duration.toSeconds();
        return seconds > 0 && seconds % HOUR == 0 ? "\"" + seconds / HOUR + "h\"" : "\"" + seconds + "s\"";
    }
}
