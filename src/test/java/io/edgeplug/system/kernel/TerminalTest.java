package io.edgeplug.system.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.system.systemd.Journal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a person sees of the log on a terminal, which script(1) makes. */
@Timeout(60)
final class TerminalTest {

    /** Logs, in a process of its own. */
    public static void main(String[] args) {
        Journal.toStderr(Level.FINE);
        Logger log = Logger.getLogger("io.edgeplug.test");
        log.fine("looked");
        log.info("ready");
        log.warning("example.com/vf: no plugin");
    }

    @Test
    void linesOnATerminalHaveTimeAndLevel() throws Exception {
        String time = "\\d\\d:\\d\\d:\\d\\d\\.\\d{3}";

        assertThat(printed("script", "-qec", java(), "/dev/null").lines())
                .satisfiesExactly(
                        line -> assertThat(line).matches(time + " debug   looked"),
                        line -> assertThat(line).matches(time + " info    ready"),
                        line -> assertThat(line).matches(time + " warning example.com/vf: no plugin"));
    }

    @Test
    void linesElsewhereHaveNot() throws Exception {
        assertThat(printed("sh", "-c", java() + " 2>&1")).isEqualTo("""
                looked
                ready
                warning: example.com/vf: no plugin
                """);
    }

    private static String java() {
        return "'%s' -cp '%s' %s"
                .formatted(
                        Path.of(System.getProperty("java.home"), "bin/java"),
                        System.getProperty("java.class.path"),
                        TerminalTest.class.getName());
    }

    private static String printed(String... command) throws Exception {
        Process process = new ProcessBuilder(command)
                .redirectInput(Path.of("/dev/null").toFile())
                .start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return text;
    }
}
