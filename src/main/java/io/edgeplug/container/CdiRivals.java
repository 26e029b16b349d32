package io.edgeplug.container;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.edgeplug.device.ResourceName;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Files of others that have a device's name: of two in one directory, a runtime takes neither. */
final class CdiRivals {

    /** A specification is some kilobytes; what is larger than this is none of a device's. */
    private static final int MAX_BYTES = 4 << 20;

    private static final Pattern YAML_KIND = Pattern.compile("(?m)^\\s*[\"']?kind[\"']?\\s*:\\s*[\"']?([^\"'\\s#]+)");
    private static final Pattern YAML_NAME =
            Pattern.compile("(?m)[\\s{,-][\"']?name[\"']?\\s*:\\s*[\"']?([^\"',\\s}]+)");

    private final Path directory;
    private final String ownFile;

    CdiRivals(Path directory, String ownFile) {
        this.directory = directory;
        this.ownFile = ownFile;
    }

    /** By ID, the file of another's in which a device of the resource is named. */
    Map<String, Path> of(ResourceName resource, Collection<Equipment> devices) {
        Map<String, Path> rivals = new TreeMap<>();
        if (devices.isEmpty() || !Files.isDirectory(directory)) {
            return rivals;
        }
        Set<String> ids = devices.stream().map(Equipment::id).collect(Collectors.toSet());
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.{json,yaml}")) {
            for (Path file : files) {
                if (!String.valueOf(file.getFileName()).equals(ownFile)) {
                    Set<String> names = names(file, resource);
                    names.retainAll(ids);
                    names.forEach(id -> rivals.putIfAbsent(id, file));
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // a directory that cannot be listed cannot be written either, which is told then
            return rivals;
        }
        return rivals;
    }

    /** The devices of the resource in a file; none in one that a runtime could not read either. */
    private static Set<String> names(Path file, ResourceName resource) {
        try {
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(file)) {
                return new TreeSet<>();
            }
            String text;
            try (InputStream in = Files.newInputStream(file)) {
                text = new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8);
            }
            return file.toString().endsWith(".json") ? inJson(text, resource) : inYaml(text, resource);
        } catch (IOException | JsonParseException | IllegalStateException | ClassCastException e) {
            return new TreeSet<>();
        }
    }

    private static Set<String> inJson(String text, ResourceName resource) {
        Set<String> names = new TreeSet<>();
        JsonObject spec = JsonParser.parseString(text).getAsJsonObject();
        if (spec.has("kind") && spec.get("kind").getAsString().equals(resource.toString()) && spec.has("devices")) {
            for (JsonElement device : spec.getAsJsonArray("devices")) {
                names.add(device.getAsJsonObject().get("name").getAsString());
            }
        }
        return names;
    }

    /** Not all of YAML, but what those write who write specifications: a mapping in lines, or JSON. */
    private static Set<String> inYaml(String text, ResourceName resource) {
        Set<String> names = new TreeSet<>();
        Matcher kind = YAML_KIND.matcher(text);
        if (kind.find() && kind.group(1).equals(resource.toString())) {
            YAML_NAME.matcher(text).results().forEach(name -> names.add(name.group(1)));
        }
        return names;
    }
}
