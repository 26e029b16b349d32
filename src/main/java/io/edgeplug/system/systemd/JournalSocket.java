package io.edgeplug.system.systemd;

import io.edgeplug.system.kernel.PlainText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;

/**
 * Sends each record as a datagram to the journal, in its native protocol (https://systemd.io/JOURNAL_NATIVE_PROTOCOL).
 *
 * <p>A record that the journal does not take at once goes to another handler.
 */
final class JournalSocket extends Handler implements AutoCloseable {

    /**
     * Characters of UTF-16. In any script, this many stay below the default size of a datagram, net.core.wmem_default.
     */
    private static final int MAX_TEXT = 32 * 1024;

    private static final String IDENTIFIER = "edgeplug";

    private final UnixDatagrams socket;
    private final Handler fallback;
    private final Formatter formatter = new SimpleFormatter();

    private JournalSocket(UnixDatagrams socket, Handler fallback) {
        this.socket = socket;
        this.fallback = fallback;
    }

    /**
     * Makes a socket to send from.
     *
     * @throws IOException if netty's native library is missing, or there can be no more sockets
     */
    static JournalSocket open(Path journal, Handler fallback) throws IOException {
        return new JournalSocket(UnixDatagrams.to(journal.toString()), fallback);
    }

    @Override
    public void publish(LogRecord entry) {
        if (!isLoggable(entry)) {
            return;
        }
        try {
            socket.send(datagram(entry));
        } catch (IOException e) {
            fallback.publish(entry);
        }
    }

    private byte[] datagram(LogRecord entry) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        put(out, "MESSAGE", cut(Journal.text(entry, formatter)));
        put(out, "PRIORITY", Integer.toString(Journal.priority(entry.getLevel())));
        put(out, "SYSLOG_IDENTIFIER", IDENTIFIER);
        put(out, "CODE_FUNC", entry.getSourceClassName() + "." + entry.getSourceMethodName());
        if (entry.getParameters() != null) {
            for (Object parameter : entry.getParameters()) {
                if (parameter instanceof Journal.Field field) {
                    put(out, field.name(), cut(PlainText.of(field.value())));
                }
            }
        }
        return out.toByteArray();
    }

    /** A value with a newline follows its length, 64 bits, little-endian. Any other value follows an equals sign. */
    private static void put(ByteArrayOutputStream out, String name, String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        out.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
        if (value.indexOf('\n') < 0) {
            out.write('=');
        } else {
            out.write('\n');
            out.writeBytes(ByteBuffer.allocate(Long.BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(bytes.length)
                    .array());
        }
        out.writeBytes(bytes);
        out.write('\n');
    }

    /**
     * A text that does not fit into a datagram would have to be sent as a file descriptor, which netty cannot do here.
     */
    private static String cut(String text) {
        return text.length() <= MAX_TEXT
                ? text
                : text.substring(0, MAX_TEXT) + " ... (cut, of " + text.length() + " characters)";
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            fallback.publish(new LogRecord(Level.FINE, "journal: cannot close: " + e.getMessage()));
        }
    }
}
