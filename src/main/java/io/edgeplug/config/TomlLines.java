package io.edgeplug.config;

import java.util.HashMap;
import java.util.Map;

/** On which lines of a file its tables and keys stand, by path: {@code class[1].match[0].drivers}. */
final class TomlLines {

    private final Map<String, Integer> lines = new HashMap<>();
    private final Map<String, Integer> last = new HashMap<>();
    private String table = "";

    /** A heading; a name in it that several tables have is that of the newest. */
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

    /** A key of the table whose heading came last. */
    void key(String name, int line) {
        boolean ignored = lines.putIfAbsent((table.isEmpty() ? "" : table + ".") + plain(name), line) == null;
    }

    /** Where that is, or what it is in; 0 if neither stands anywhere. */
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
