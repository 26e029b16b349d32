package io.edgeplug.box;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The times of a boot, in seconds since the kernel started.
 *
 * @param driver when the kernel had the driver of the random number device
 * @param random when the kernel's random number generator was ready
 * @param ready when all units had started
 */
record Boot(double driver, double random, double ready) {

    private static final Duration ASKED_FOR = Duration.ofSeconds(60);
    private static final int CONSOLE_LINES = 40;

    /** The one that the node has behind it. */
    static Boot of(Node node) throws IOException, InterruptedException, TimeoutException {
        String kernel = node.run("journalctl -q -b -k -o short-monotonic --no-pager | grep -E '"
                + "node: virtio_rng is loaded|crng init done' || true");
        String ready = node.run("systemctl show -P ActiveEnterTimestampMonotonic multi-user.target");
        return new Boot(
                seconds(kernel, "node: virtio_rng is loaded"),
                seconds(kernel, "random: crng init done"),
                Long.parseLong(ready) / 1e6);
    }

    private static double seconds(String journal, String message) throws IOException {
        Matcher line = Pattern.compile("(?m)^\\[ *([0-9.]+)\\].*" + Pattern.quote(message))
                .matcher(journal);
        if (!line.find()) {
            throw new IOException("the kernel has not said \"" + message + "\", only: " + journal);
        }
        return Double.parseDouble(line.group(1));
    }

    /** How long the generator took from its driver on, which may be the later one. */
    double randomAfterDriver() {
        return Math.max(0, random - driver);
    }

    /** The units for which a boot waits, and those that failed, if the node can still say so. */
    static String missing(Shell shell) throws InterruptedException {
        try {
            return "its units that are missing or failed: "
                    + shell.run(
                                    "systemctl --no-pager --plain list-jobs; systemctl --no-pager --plain --failed;"
                                            + " journalctl -q -b --no-pager -p warning -n 20",
                                    ASKED_FOR)
                            .out();
        } catch (IOException | TimeoutException e) {
            return "its units are not known, since its shell is not there: " + e.getMessage();
        }
    }

    /** The last lines that the machine has printed. */
    static String end(Path console) throws IOException {
        List<String> lines =
                Files.readString(console, StandardCharsets.ISO_8859_1).lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - CONSOLE_LINES), lines.size()));
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "boot: driver of random numbers after %.2f s, crng init done %.2f s later, all units after %.1f s",
                driver,
                randomAfterDriver(),
                ready);
    }
}
