package io.edgeplug.node.container;

import com.google.gson.stream.JsonToken;
import com.google.gson.stream.MalformedJsonException;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.system.files.ForeignFile;
import io.edgeplug.system.files.ForeignJson;
import io.edgeplug.system.files.ForeignText;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Finds foreign files that name the same device. If two files in a directory do, a runtime uses neither. Anybody may
 * have written the files, so they are read one after the other and never as a whole. A file that is no specification
 * does no harm.
 */
record CdiRivals(Path directory, String ownFile) {

    /** A specification of hundreds of devices is a tenth of this. */
    private static final long MAX_BYTES = 1 << 20;

    /** The limit for all files together, because they are read again whenever devices change: a tenth of a second. */
    private static final long MAX_BYTES_IN_ALL = 8 << 20;

    /** A runtime's directory has a file for each vendor or resource. */
    private static final int MAX_FILES = 256;

    /** The limit for names of kinds and devices. The longest of edgeplug is a tenth of it. */
    private static final int MAX_NAME = 4096;

    private static final Pattern YAML_KIND =
            Pattern.compile("(?:^|[\\s{,])[\"']?kind[\"']?\\s*:\\s*[\"']?([^\"'\\s#,}]+)");
    private static final Pattern YAML_NAME =
            Pattern.compile("(?:^|[\\s{,-])[\"']?name[\"']?\\s*:\\s*[\"']?([^\"',\\s}]+)");

    /**
     * The result.
     *
     * @param byId the foreign file that names a device
     * @param unread a line for each file that could not be read because it is no specification
     */
    record Found(Map<String, Path> byId, List<String> unread) {

        static final Found NOTHING = new Found(Map.of(), List.of());
    }

    /** The devices of the resource that foreign files name. */
    Found of(ResourceName resource, Collection<Equipment> devices) {
        if (devices.isEmpty() || !Files.isDirectory(directory)) {
            return Found.NOTHING;
        }
        Set<String> ids = devices.stream().map(Equipment::id).collect(Collectors.toSet());
        Map<String, Path> rivals = new TreeMap<>();
        List<String> unread = new ArrayList<>();
        int count = 0;
        long bytes = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.{json,yaml}")) {
            for (Path file : files) {
                if (String.valueOf(file.getFileName()).equals(ownFile)) {
                    continue;
                }
                count++;
                if (count > MAX_FILES || bytes > MAX_BYTES_IN_ALL) {
                    unread.add(directory + ": has more than the " + MAX_FILES + " specifications, or the "
                            + (MAX_BYTES_IN_ALL >> 20) + " MiB of them, that are read");
                    break;
                }
                try {
                    names(file, resource, ids).forEach(id -> rivals.putIfAbsent(id, file));
                    bytes += Files.size(ForeignFile.near(file));
                } catch (NoSuchFileException e) {
                    // The file has just gone.
                } catch (IOException e) {
                    unread.add(file + ": " + e.getMessage());
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // A directory that cannot be listed cannot be written to either, and that is reported.
            return new Found(rivals, unread);
        }
        return new Found(rivals, unread);
    }

    /**
     * The devices of the resource that a file names.
     *
     * @throws IOException if a runtime finds none in it either; the message follows the file's name
     */
    private static Set<String> names(Path file, ResourceName resource, Set<String> ids) throws IOException {
        try {
            return file.toString().endsWith(".json") ? inJson(file, resource, ids) : inYaml(file, resource, ids);
        } catch (MalformedJsonException | EOFException | IllegalStateException | NumberFormatException e) {
            throw new IOException("is no CDI specification", e);
        }
    }

    private static Set<String> inJson(Path file, ResourceName resource, Set<String> ids) throws IOException {
        try (ForeignJson json = ForeignJson.open(file, MAX_BYTES, MAX_NAME)) {
            Optional<String> kind = Optional.empty();
            Set<String> names = new TreeSet<>();
            json.beginObject();
            while (json.hasNext()) {
                switch (json.nextName()) {
                    case "kind" -> kind = Optional.of(json.nextString());
                    case "devices" -> readDevices(json, ids, names);
                    default -> json.skipValue();
                }
            }
            json.endObject();
            if (kind.isEmpty() || json.peek() != JsonToken.END_DOCUMENT) {
                throw new MalformedJsonException("no kind");
            }
            return kind.orElseThrow().equals(resource.toString()) ? names : Set.of();
        }
    }

    /** Keeps only the names of these devices, because a file may have any number. */
    private static void readDevices(ForeignJson json, Set<String> ids, Set<String> names) throws IOException {
        if (json.peek() == JsonToken.NULL) {
            json.nextNull();
            return;
        }
        json.beginArray();
        while (json.hasNext()) {
            boolean hasName = false;
            json.beginObject();
            while (json.hasNext()) {
                if (json.nextName().equals("name")) {
                    hasName = true;
                    String name = json.nextString();
                    if (ids.contains(name)) {
                        names.add(name);
                    }
                } else {
                    json.skipValue();
                }
            }
            json.endObject();
            if (!hasName) {
                throw new MalformedJsonException("a device without a name");
            }
        }
        json.endArray();
    }

    /** Reads only the YAML that programs write for specifications: a mapping in lines, or JSON. */
    private static Set<String> inYaml(Path file, ResourceName resource, Set<String> ids) throws IOException {
        Optional<String> kind = Optional.empty();
        Set<String> names = new TreeSet<>();
        try (BufferedReader text = new BufferedReader(ForeignText.open(file, MAX_BYTES))) {
            for (String line = text.readLine(); line != null; line = text.readLine()) {
                Matcher found = YAML_KIND.matcher(line);
                if (kind.isEmpty() && found.find()) {
                    kind = Optional.of(found.group(1));
                }
                Matcher name = YAML_NAME.matcher(line);
                while (name.find()) {
                    if (ids.contains(name.group(1))) {
                        names.add(name.group(1));
                    }
                }
            }
        }
        if (kind.isEmpty()) {
            throw new MalformedJsonException("no kind");
        }
        return kind.orElseThrow().equals(resource.toString()) ? names : Set.of();
    }
}
