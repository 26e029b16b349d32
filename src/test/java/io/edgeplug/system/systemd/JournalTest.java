package io.edgeplug.system.systemd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JournalTest {

    @TempDir
    private Path directory = Path.of("");

    private final Logger log = Logger.getLogger("journal.test");
    private final Kept kept = new Kept();

    @Test
    void recordCarriesWhatItIsAbout() throws IOException, InterruptedException {
        try (Datagrams journal = Datagrams.on(socket());
                JournalSocket handler = open()) {
            log.log(Level.WARNING, "g{0}: grün", new Object[] {
                Journal.device("g{0}"), Journal.resource("example.com/gopher")
            });

            assertThat(fields(journal.nextBytes()))
                    .containsEntry("MESSAGE", "g{0}: grün")
                    .containsEntry("PRIORITY", "4")
                    .containsEntry("SYSLOG_IDENTIFIER", "edgeplug")
                    .containsEntry("DEVICE", "g{0}")
                    .containsEntry("RESOURCE", "example.com/gopher")
                    .containsEntry("CODE_FUNC", JournalTest.class.getName() + ".recordCarriesWhatItIsAbout");
            assertThat(handler.getLevel()).isEqualTo(Level.ALL);
        }
    }

    @Test
    void shareIsFoundAsItsDeviceAndALineMayBeAboutSeveral() throws IOException, InterruptedException {
        try (Datagrams journal = Datagrams.on(socket());
                JournalSocket handler = open()) {
            log.log(Level.SEVERE, "two", new Object[] {Journal.device("g1::3"), Journal.device("a::b")});

            assertThat(journal.next())
                    .contains("\nPRIORITY=3\n")
                    .contains("\nDEVICE=g1\n")
                    .contains("\nDEVICE=a::b\n");
            assertThat(handler.getLevel()).isEqualTo(Level.ALL);
        }
    }

    @Test
    void newlinesCannotForgeAFieldOrAMessage() throws IOException, InterruptedException {
        try (Datagrams journal = Datagrams.on(socket());
                JournalSocket handler = open()) {
            log.log(Level.INFO, "one\nPRIORITY=0", Journal.device("a\nRESOURCE=b"));

            assertThat(kept.records).as("what the journal did not take").isEmpty();
            assertThat(fields(journal.nextBytes()))
                    .containsEntry("MESSAGE", "one?PRIORITY=0")
                    .containsEntry("PRIORITY", "6")
                    .containsEntry("DEVICE", "a?RESOURCE=b")
                    .doesNotContainKey("RESOURCE");
        }
    }

    @Test
    void longTextIsCutAndSaysSo() throws IOException, InterruptedException {
        try (Datagrams journal = Datagrams.on(socket());
                JournalSocket handler = open()) {
            log.info("ü".repeat(1_000_000));

            assertThat(kept.records).isEmpty();
            assertThat(fields(journal.nextBytes()).get("MESSAGE"))
                    .startsWith("üüü")
                    .endsWith(" ... (cut, of 1000000 characters)")
                    .hasSizeLessThan(40_000);
        }
    }

    @Test
    void recordThatTheJournalDoesNotTakeGoesToStderr() throws IOException {
        try (JournalSocket handler = open()) {
            log.info("nobody listens");

            assertThat(kept.records).extracting(LogRecord::getMessage).containsExactly("nobody listens");
        }
    }

    @Test
    void stderrIsTheJournalOnlyIfDeviceAndInodeAreThoseOfItsStream() throws IOException {
        Path stderr = Path.of("/proc/self/fd/2");
        Object device = Files.getAttribute(stderr, "unix:dev");
        Object inode = Files.getAttribute(stderr, "unix:ino");

        assertThat(Journal.isStderr(device + ":" + inode)).isTrue();
        assertThat(Journal.isStderr(device + ":" + inode + "1")).isFalse();
        assertThat(Journal.isStderr("")).isFalse();
    }

    private String socket() {
        return directory.resolve("socket").toString();
    }

    private JournalSocket open() throws IOException {
        JournalSocket handler = JournalSocket.open(Path.of(socket()), kept);
        log.setUseParentHandlers(false);
        log.setLevel(Level.INFO);
        for (Handler other : log.getHandlers()) {
            log.removeHandler(other);
        }
        log.addHandler(handler);
        return handler;
    }

    /** Reads a datagram as https://systemd.io/JOURNAL_NATIVE_PROTOCOL says. */
    private static Map<String, String> fields(byte[] datagram) {
        Map<String, String> fields = new TreeMap<>();
        ByteBuffer left = ByteBuffer.wrap(datagram).order(ByteOrder.LITTLE_ENDIAN);
        while (left.hasRemaining()) {
            String line = until('\n', left);
            int equals = line.indexOf('=');
            if (equals >= 0) {
                fields.put(line.substring(0, equals), line.substring(equals + 1));
            } else {
                byte[] value = new byte[Math.toIntExact(left.getLong())];
                left.get(value);
                fields.put(line, new String(value, StandardCharsets.UTF_8));
                assertThat(left.get()).isEqualTo((byte) '\n');
            }
        }
        return fields;
    }

    private static String until(char end, ByteBuffer left) {
        int from = left.position();
        while (left.get() != end) {
            assertThat(left.hasRemaining()).isTrue();
        }
        byte[] text = new byte[left.position() - from - 1];
        left.get(from, text);
        return new String(text, StandardCharsets.UTF_8);
    }

    private static final class Kept extends Handler {

        private final List<LogRecord> records = new ArrayList<>();

        @Override
        public void publish(LogRecord entry) {
            records.add(entry);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
