package io.edgeplug.model.device;

import io.edgeplug.system.files.PathGlob;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Paths that are one device together. Each file that the first path names makes a device with the files at the other
 * paths. In these, every {@code *} and {@code ?} stands for what it matched in the first path.
 *
 * <p>So {@code /dev/video1} always goes with {@code /dev/snd/controlC1}, whatever other files come and go.
 *
 * @param optional those without which a device is whole, never the first
 */
public record PathGroup(List<String> paths, Set<String> optional) {

    private static final Pattern WILD = Pattern.compile("[*?]");

    /**
     * Checks the paths.
     *
     * @throws IllegalArgumentException if a path has a wrong form, or other wildcards than the first
     */
    public PathGroup {
        paths = List.copyOf(paths);
        optional = Set.copyOf(optional);
        if (!paths.containsAll(optional) || optional.contains(paths.getFirst())) {
            throw new IllegalArgumentException(
                    "optional paths must be among the paths of the group, and not the first");
        }
        for (String path : paths) {
            try {
                PathGlob.parse(path);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("\"" + path + "\" " + e.getMessage(), e);
            }
            if (!wildcards(path).isEmpty() && !wildcards(path).equals(wildcards(paths.getFirst()))) {
                throw new IllegalArgumentException("\"" + path + "\" needs the wildcards of \"" + paths.getFirst()
                        + "\", which stand for what they match there, or none");
            }
        }
    }

    /** The first path, which names the devices. */
    public PathGlob first() {
        return PathGlob.parse(paths.getFirst());
    }

    /**
     * A file of a device.
     *
     * @param isDirectory whether it must be a directory, or must not be one
     * @param isOptional whether it may be missing
     */
    public record Member(String path, boolean isDirectory, boolean isOptional) {}

    /** The files of the device whose first file has that path. */
    public List<Member> members(String path) {
        List<String> matched = first().matched(path);
        List<Member> members = new ArrayList<>();
        members.add(new Member(path, first().namesDirectories(), false));
        for (String text : paths.subList(1, paths.size())) {
            PathGlob other = PathGlob.parse(text);
            members.add(new Member(filled(other.path(), matched), other.namesDirectories(), optional.contains(text)));
        }
        return members;
    }

    private static String filled(String path, List<String> matched) {
        StringBuilder filled = new StringBuilder();
        Matcher wild = WILD.matcher(path);
        for (String text : matched) {
            if (wild.find()) {
                wild.appendReplacement(filled, Matcher.quoteReplacement(text));
            }
        }
        return wild.appendTail(filled).toString();
    }

    private static String wildcards(String path) {
        return path.replaceAll("[^*?]", "");
    }

    @Override
    public String toString() {
        return paths.stream()
                .map(path -> optional.contains(path) ? "[" + path + "]" : path)
                .collect(Collectors.joining(" + "));
    }
}
