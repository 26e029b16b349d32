package io.edgeplug.model.config;

import java.util.HashMap;
import java.util.Map;

/** The lines of tables and keys in a file, by path, such as {@code class[1].match[0].drivers}. */
final class TomlLines {

    private final Map<String, Integer> lines = new HashMap<>();
    private final Map<String, Integer> last = new HashMap<>();
    private String table = "";

    /** Adds a heading. If several tables have a name in it, the newest is meant. */
    void heading(String name, boolean isArray, int line) {
        String[] names = name.split("\\.", -1);
        String path = "";
        for (int i = 0; i < names.length; i++) {
            path += (path.isEmpty() ? "" : ".") + plain(names[i]);
            boolean isNext = isArray && i == names.length - 1;
            int number = isNext ? last.merge(path, 1, Integer::sum) : last.computeIfAbsent(path, none -> 1);
            boolean ignored = lines.putIfAbsent(path, line) == null;
            path += "[" + (number - 1) + "]";
        }
        table = path;
        boolean ignored = lines.putIfAbsent(path, line) == null;
    }

    /** Adds a key of the table with the last heading. */
    void key(String name, int line) {
        boolean ignored = lines.putIfAbsent((table.isEmpty() ? "" : table + ".") + plain(name), line) == null;
    }

    /** The line of a path, or of the table around it; 0 if neither is in the file. */
    int line(String path) {
        String place = path;
        while (!place.isEmpty() && !lines.containsKey(place)) {
            place = place.endsWith("]")
                    ? place.substring(0, place.lastIndexOf('['))
                    : place.substring(0, Math.max(0, place.lastIndexOf('.')));
        }
        return lines.getOrDefault(place, 0);
    }

    private static String plain(String name) {
        return name.strip().replaceFirst("^(['\"])(.*)\\1$", "$2");
    }
}
