package io.edgeplug.config;

import com.moandjiezana.toml.Toml;
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

/** Reads one file of TOML 0.4; a file that breaks its grammar is told and not interpreted. */
final class TomlFile {

    private static final int MAX_BYTES = 1 << 20;
    private static final Pattern ON_LINE = Pattern.compile("(.*?) on line (\\d+)(.*)", Pattern.DOTALL);

    private TomlFile() {}

    /** The file's keys and values as toml4j gives them; empty if a mistake was added. */
    static Optional<Map<String, Object>> read(Path file, Mistakes mistakes) {
        String name = file.toString();
        try {
            String text = text(file);
            int before = mistakes.count();
            TomlText.check(text, name, mistakes);
            return mistakes.count() > before ? Optional.empty() : parse(text, name, mistakes);
        } catch (CharacterCodingException e) {
            mistakes.add(name, "is not UTF-8 text");
        } catch (IOException e) {
            mistakes.add(name, FileProblem.of(e));
        }
        return Optional.empty();
    }

    /** toml4j throws what it meets: its own words, a number that does not parse, an index that is none. */
    private static Optional<Map<String, Object>> parse(String text, String name, Mistakes mistakes) {
        try {
            return Optional.of(new Toml().read(text).toMap());
        } catch (NumberFormatException e) {
            mistakes.add(name, "has a number that is too large: " + firstLine(String.valueOf(e.getMessage())));
        } catch (IllegalStateException e) {
            mistakes.add(name, lineFirst(String.valueOf(e.getMessage())));
        } catch (RuntimeException e) {
            mistakes.add(name, "is not TOML: " + firstLine(String.valueOf(e.getMessage())));
        }
        return Optional.empty();
    }

    private static String text(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw new IOException("is a directory, not a file");
        }
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new IOException("is not a regular file");
        }
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(MAX_BYTES + 1);
        }
        if (bytes.length > MAX_BYTES) {
            throw new IOException(
                    "is larger than the " + (MAX_BYTES >> 20) + " MiB that a configuration file may have");
        }
        String text = StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes))
                .toString();
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    /** toml4j's {@code Invalid key on line 3: x} as {@code line 3: invalid key: x}. */
    private static String lineFirst(String message) {
        Matcher matcher = ON_LINE.matcher(message);
        if (!matcher.matches()) {
            return firstLine(message);
        }
        String what = matcher.group(1);
        return "line " + matcher.group(2) + ": " + what.substring(0, 1).toLowerCase(Locale.ROOT) + what.substring(1)
                + firstLine(matcher.group(3));
    }

    private static String firstLine(String text) {
        String line = text.lines().findFirst().orElse("").replaceAll("\\p{Cntrl}", "?");
        return line.length() > 80 ? line.substring(0, 80) + "…" : line;
    }
}
