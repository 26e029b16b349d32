package io.edgeplug.config;

import com.moandjiezana.toml.Toml;
import io.edgeplug.linux.Ownership;
import io.edgeplug.linux.PlainText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads files of TOML 0.4, and no more of them than fits into the daemon's heap beside the configuration that it has; a
 * file that breaks its grammar, or that others than root could have written, is told and not interpreted.
 */
final class TomlFiles {

    /** Some hundred classes. toml4j needs many times as much memory, and time by the square of an array's length. */
    private static final int MAX_FILE_KIB = 64;

    /** Of all files together: what is read of them stays, and is there twice during a reload. */
    private static final int MAX_KIB = 256;

    private static final Pattern ON_LINE = Pattern.compile("(.*?) on line (\\d{1,9})(.*)", Pattern.DOTALL);

    private final Mistakes mistakes;
    private int left = MAX_KIB << 10;

    TomlFiles(Mistakes mistakes) {
        this.mistakes = mistakes;
    }

    /** Whether there may be more files. */
    boolean hasRoom() {
        return left > 0;
    }

    /** The file's keys and values; empty if a mistake was added. */
    Optional<Table> read(Path file) {
        String name = file.toString();
        try {
            checkOwner(file);
            String text = text(file);
            int before = mistakes.count();
            TomlLines lines = TomlText.check(text, name, mistakes);
            return mistakes.count() > before
                    ? Optional.empty()
                    : parse(text, name).map(values -> new Table(mistakes, name, lines, values));
        } catch (CharacterCodingException e) {
            mistakes.add(name, "is not UTF-8 text");
        } catch (IOException e) {
            mistakes.add(name, FileProblem.of(e));
        }
        return Optional.empty();
    }

    /** Commands of the configuration run as root, so that whoever can change it is root. */
    static void checkOwner(Path file) throws IOException {
        Optional<String> stranger = Ownership.problem(file);
        if (stranger.isPresent()) {
            throw new IOException(
                    stranger.orElseThrow() + "; whoever can write the configuration can run commands as root");
        }
    }

    /** toml4j throws what it meets: its own words, a number that does not parse, an index that is none. */
    private Optional<Map<String, Object>> parse(String text, String name) {
        try {
            return Optional.of(new Toml().read(text).toMap());
        } catch (NumberFormatException e) {
            mistakes.add(name, "has a number that is too large: " + firstLine(String.valueOf(e.getMessage())));
        } catch (IllegalStateException e) {
            addWithLine(name, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            mistakes.add(name, "is not TOML: " + firstLine(String.valueOf(e.getMessage())));
        }
        return Optional.empty();
    }

    private String text(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw new IOException("is a directory, not a file");
        }
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new IOException("is not a regular file");
        }
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes((MAX_FILE_KIB << 10) + 1);
        }
        if (bytes.length > MAX_FILE_KIB << 10) {
            throw new IOException("is larger than the " + MAX_FILE_KIB
                    + " KiB that a configuration file may have; split it into files in class.d");
        }
        left -= bytes.length;
        if (left < 0) {
            throw new IOException("is more than what is left of the " + MAX_KIB
                    + " KiB that all configuration files may have together; those after it are not read");
        }
        String text = StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes))
                .toString();
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    /** toml4j's {@code Invalid key on line 3: x} as {@code invalid key: x} on that line. */
    private void addWithLine(String name, String message) {
        Matcher matcher = ON_LINE.matcher(message);
        if (!matcher.matches()) {
            mistakes.add(name, firstLine(message));
            return;
        }
        String what = matcher.group(1);
        mistakes.add(
                name,
                Integer.parseInt(matcher.group(2)),
                what.substring(0, 1).toLowerCase(Locale.ROOT) + what.substring(1) + firstLine(matcher.group(3)));
    }

    private static String firstLine(String text) {
        String line = PlainText.of(text.lines().findFirst().orElse(""));
        return line.length() > 80 ? line.substring(0, 80) + "…" : line;
    }
}
