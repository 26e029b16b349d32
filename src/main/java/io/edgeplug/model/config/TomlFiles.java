package io.edgeplug.model.config;

import com.moandjiezana.toml.Toml;
import io.edgeplug.system.files.Ownership;
import io.edgeplug.system.kernel.PlainText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads files of TOML 0.4, up to the size that fits into the daemon's heap beside its present configuration. A file
 * that is not TOML, or that others than root could have written, is a mistake and is not interpreted.
 */
final class TomlFiles {

    /**
     * Enough for some hundred classes. toml4j needs many times as much memory, and time by the square of an array's
     * length.
     */
    private static final int MAX_FILE_KIB = 64;

    /** The limit for all files together. Their content stays in memory, twice during a reload. */
    private static final int MAX_KIB = 256;

    private static final Pattern ON_LINE = Pattern.compile("(.*?) on line (\\d{1,9})(.*)", Pattern.DOTALL);

    private final Mistakes mistakes;
    private int left = MAX_KIB << 10;

    TomlFiles(Mistakes mistakes) {
        this.mistakes = mistakes;
    }

    /** Whether more files may be read. */
    boolean hasRoom() {
        return left > 0;
    }

    /** The keys and values of a file; empty if it has mistakes. */
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
            mistakes.add(name, problem(e));
        }
        return Optional.empty();
    }

    /** Commands in the configuration run as root, so only root may change it. */
    static void checkOwner(Path file) throws IOException {
        Optional<String> stranger = Ownership.problem(file);
        if (stranger.isPresent()) {
            throw new IOException(
                    stranger.orElseThrow() + "; whoever can write the configuration can run commands as root");
        }
    }

    /** toml4j throws various exceptions: its own, for a number that does not parse, or for a wrong index. */
    private Optional<Map<String, Object>> parse(String text, String name) {
        try {
            return Optional.of(new Toml().read(text).toMap());
        } catch (NumberFormatException e) {
            mistakes.add(name, "has a number that is too large");
        } catch (IllegalStateException e) {
            addWithLine(name, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            mistakes.add(name, "is not TOML");
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

    /**
     * Turns toml4j's {@code Invalid key on line 3: x} into {@code invalid key} on that line. The line is not quoted. The
     * file may be another one by mistake, such as a link to one with passwords.
     */
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
                what.substring(0, 1).toLowerCase(Locale.ROOT) + what.substring(1));
    }

    private static String firstLine(String text) {
        String line = PlainText.of(text.lines().findFirst().orElse(""));
        return line.length() > 80 ? line.substring(0, 80) + "…" : line;
    }

    /** The problem with a file, without its name. Some of the JDK's exceptions have only the name, or put it first. */
    static String problem(IOException e) {
        return switch (e) {
            case NoSuchFileException missing -> "no such file";
            case AccessDeniedException denied -> "permission denied";
            case NotDirectoryException file -> "is a file, not a directory";
            case FileSystemException other -> String.valueOf(other.getReason());
            default -> String.valueOf(e.getMessage());
        };
    }
}
