package io.edgeplug.device;

import io.edgeplug.linux.PathGlob;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Paths that are one device together: each file that the first names, and with it the others, in which every {@code *}
 * and {@code ?} stands for what it matched in the first.
 *
 * <p>So {@code /dev/video1} has {@code /dev/snd/controlC1} beside it, whatever else comes and goes.
 */
public record PathGroup(List<String> paths) {

    private static final Pattern WILD = Pattern.compile("[*?]");

    /**
     * Checks the paths.
     *
     * @throws IllegalArgumentException if one has a wrong form or, unlike the first, has wildcards in another order
     */
    public PathGroup {
        paths = List.copyOf(paths);
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

    /** What names the devices. */
    public PathGlob first() {
        return PathGlob.parse(paths.getFirst());
    }

    /**
     * A file of a device.
     *
     * @param isDirectory whether it is to be a directory, or anything but one
     */
    public record Member(String path, boolean isDirectory) {}

    /** The files of a device, of which the first has that path. */
    public List<Member> members(String path) {
        List<String> matched = first().matched(path);
        List<Member> members = new ArrayList<>();
        members.add(new Member(path, first().namesDirectories()));
        for (String text : paths.subList(1, paths.size())) {
            PathGlob other = PathGlob.parse(text);
            members.add(new Member(filled(other.path(), matched), other.namesDirectories()));
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
        return String.join(" + ", paths);
    }
}
