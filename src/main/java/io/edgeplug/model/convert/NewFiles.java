package io.edgeplug.model.convert;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.system.files.PathGlob;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The files of the classes that are written so far. Two devices of a node cannot have the same ID. */
final class NewFiles {

    private final Map<ResourceName, List<String>> files = new LinkedHashMap<>();

    /** Writes which earlier classes may have the same files, and the IDs if two files would have the same. */
    void write(ResourceName resource, List<String> paths, ClassText text) {
        Set<String> others = new LinkedHashSet<>();
        files.forEach((other, theirs) -> {
            if (paths.stream().anyMatch(path -> theirs.stream().anyMatch(one -> isSame(path, one)))) {
                others.add(other.toString());
            }
        });
        // Where classes share files, the IDs of the later class begin with the name of its resource.
        Stream<String> earlier = others.isEmpty() ? files.values().stream().flatMap(List::stream) : Stream.of();
        List<String> all = Stream.concat(paths.stream(), earlier).toList();
        boolean canNamesBeSame = paths.stream()
                .anyMatch(path -> isPattern(directory(path))
                        || (!isPattern(path)
                                && all.stream()
                                        .anyMatch(other -> !other.equals(path)
                                                && name(other).equals(name(path)))));
        if (canNamesBeSame) {
            text.comment("Without this key, two files with the same name would have the same ID.");
            text.string("id", "{name}-{hash}");
        }
        if (!others.isEmpty()) {
            text.strings("shared_with", List.copyOf(others));
        }
        files.put(resource, List.copyOf(paths));
    }

    private static boolean isSame(String path, String other) {
        return path.equals(other)
                || PathGlob.parse(path).matches(other)
                || PathGlob.parse(other).matches(path);
    }

    static boolean isPattern(String path) {
        return path.indexOf('*') >= 0 || path.indexOf('?') >= 0;
    }

    private static String name(String path) {
        return path.substring(slash(path) + 1).replace("/", "");
    }

    private static String directory(String path) {
        return path.substring(0, slash(path) + 1);
    }

    /** The slash before the last name. A directory ends with another one. */
    private static int slash(String path) {
        return path.lastIndexOf('/', path.length() - 2);
    }
}
