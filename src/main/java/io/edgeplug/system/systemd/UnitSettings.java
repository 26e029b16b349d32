package io.edgeplug.system.systemd;

import io.edgeplug.system.files.FileKind;
import io.edgeplug.system.files.ForeignFile;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The settings of a systemd unit, from its file and its drop-ins; see systemd.unit(5). */
public final class UnitSettings {

    /** A file in an earlier directory hides files with the same name in later ones. */
    private static final List<String> DIRECTORIES = List.of(
            "etc/systemd/system",
            "run/systemd/system",
            "usr/local/lib/systemd/system",
            "usr/lib/systemd/system",
            "lib/systemd/system");

    private static final int MAX_BYTES = 1 << 16;
    private static final int MAX_DROP_INS = 256;
    private static final String CONTINUED = "\\";

    private final Map<String, List<String>> values = new HashMap<>();

    private UnitSettings() {}

    /**
     * Reads them.
     *
     * @param section whose settings are wanted, such as {@code Service}
     * @return empty if the node has no such unit
     * @throws IOException if a file cannot be read; the message names it
     */
    public static Optional<UnitSettings> read(Sysfs node, String unit, String section) throws IOException {
        for (String directory : DIRECTORIES) {
            if (node.exists(directory + "/" + unit)) {
                UnitSettings settings = new UnitSettings();
                settings.add(node, directory + "/" + unit, section);
                for (String dropIn : dropIns(node, unit)) {
                    settings.add(node, dropIn, section);
                }
                return Optional.of(settings);
            }
        }
        return Optional.empty();
    }

    /** In the order of their names, from all directories. */
    private static List<String> dropIns(Sysfs node, String unit) throws IOException {
        Map<String, String> byName = new TreeMap<>();
        String type = unit.substring(unit.lastIndexOf('.') + 1);
        for (String place : List.of(unit + ".d", type + ".d")) {
            for (String directory : DIRECTORIES) {
                String below = directory + "/" + place;
                for (String name : node.names(below, one -> one.endsWith(".conf"), MAX_DROP_INS)) {
                    byName.putIfAbsent(name, below + "/" + name);
                }
            }
        }
        return List.copyOf(byName.values());
    }

    private void add(Sysfs node, String file, String section) throws IOException {
        if (node.kind(file).filter(kind -> kind == FileKind.FILE).isEmpty()) {
            // A link to /dev/null hides the files behind it.
            return;
        }
        String text;
        try (InputStream in = ForeignFile.open(node.locate(file), MAX_BYTES)) {
            text = new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IOException("/" + file + ": " + e.getMessage(), e);
        }
        boolean isOurs = false;
        String begun = "";
        for (String line : text.lines().map(String::strip).toList()) {
            if (line.isEmpty() || line.startsWith("#") || line.startsWith(";")) {
                continue;
            }
            String whole = begun + line;
            if (line.endsWith(CONTINUED)) {
                begun = whole.substring(0, whole.length() - 1) + " ";
                continue;
            }
            begun = "";
            int equals = whole.indexOf('=');
            if (whole.startsWith("[")) {
                isOurs = whole.equals("[" + section + "]");
            } else if (isOurs && equals > 0) {
                values.computeIfAbsent(whole.substring(0, equals).strip(), none -> new ArrayList<>())
                        .add(whole.substring(equals + 1).strip());
            }
        }
    }

    /** The values of a setting, in order; none if it is missing. */
    public List<String> of(String setting) {
        return List.copyOf(values.getOrDefault(setting, List.of()));
    }

    /** The words of a setting with several values. An empty value deletes those before it. */
    public List<String> words(String setting) {
        List<String> words = new ArrayList<>();
        for (String value : of(setting)) {
            if (value.isEmpty()) {
                words.clear();
            } else {
                words.addAll(List.of(value.split("\\s+")));
            }
        }
        return words;
    }
}
