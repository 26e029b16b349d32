package io.edgeplug.system.files;

import io.edgeplug.system.kernel.KernelReason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A pattern for absolute paths, as glob(7) without brackets: {@code *} and {@code ?} match within one name, and not its
 * leading dot. With a {@code /} at its end it matches directories, and otherwise everything except directories.
 */
public final class PathGlob {

    /** A pattern names more files than were asked for. */
    public static final class TooManyFilesException extends IOException {

        private static final long serialVersionUID = 1;

        private TooManyFilesException() {
            super("names too many files");
        }
    }

    private final String text;
    private final String path;
    private final List<NameGlob> names;

    private PathGlob(String text, String path, List<NameGlob> names) {
        this.text = text;
        this.path = path;
        this.names = names;
    }

    /**
     * Reads a pattern.
     *
     * @throws IllegalArgumentException if it is not an absolute path without empty, {@code .} and {@code ..} names
     */
    public static PathGlob parse(String text) {
        if (!text.startsWith("/") || text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("is not an absolute path, as /dev/gophers/*");
        }
        String path = text.length() > 1 && text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
        List<String> names = List.of(path.substring(1).split("/", -1));
        if (names.stream().anyMatch(name -> name.isEmpty() || name.equals(".") || name.equals(".."))) {
            throw new IllegalArgumentException("has an empty, . or .. name on its way");
        }
        return new PathGlob(text, path, names.stream().map(NameGlob::new).toList());
    }

    /** Whether the pattern matches directories. */
    public boolean namesDirectories() {
        return !text.equals(path);
    }

    /** Whether it may match several files. */
    public boolean isOfSeveral() {
        return namesDirectories() || path.indexOf('*') >= 0 || path.indexOf('?') >= 0;
    }

    /** The pattern without the {@code /} at its end. */
    public String path() {
        return path;
    }

    /** Whether the pattern matches the absolute path, whatever kind of file is there. */
    public boolean matches(String path) {
        String[] parts = path.split("/", -1);
        return parts.length == names.size() + 1 && begins(parts);
    }

    /** Whether the path is a directory on the way to files of the pattern. */
    public boolean leadsThrough(String path) {
        String[] parts = path.split("/", -1);
        return parts.length <= names.size() && begins(parts);
    }

    /** Whether the first names match. The name before the root is empty. */
    private boolean begins(String[] parts) {
        for (int i = 1; i < parts.length; i++) {
            if (!names.get(i - 1).matches(parts[i])) {
                return false;
            }
        }
        return true;
    }

    /** The text that each wildcard matches in a path, the first ones as long as possible. */
    public List<String> matched(String path) {
        String[] parts = path.split("/", -1);
        return parts.length == names.size() + 1
                ? IntStream.range(0, names.size())
                        .mapToObj(i -> names.get(i).matched(parts[i + 1]))
                        .flatMap(List::stream)
                        .toList()
                : List.of();
    }

    /**
     * The matching files in a tree, sorted. A link in a loop that only a wildcard matches is left out.
     *
     * @param most how many files there may be, and how many directories on the way to them
     * @return their absolute paths as seen from the root
     * @throws TooManyFilesException if there are more
     */
    public List<String> files(Sysfs sysfs, int most) throws IOException {
        List<String> found = List.of("");
        boolean isOneOfMany = false;
        for (NameGlob wanted : names) {
            List<String> next = new ArrayList<>();
            for (String directory : found) {
                sysfs.watch(directory, wanted);
                try {
                    matching(sysfs, "." + directory, wanted, most - next.size())
                            .forEach(name -> next.add(directory + "/" + name));
                } catch (IOException e) {
                    // A link to itself must not hide all the other directories.
                    if (!isOneOfMany || KernelReason.of(e) != KernelReason.LOOP) {
                        throw e;
                    }
                }
            }
            found = next;
            isOneOfMany |= !wanted.isLiteral();
        }
        return found;
    }

    /** A literal name is looked up without listing its directory, which may not be readable. */
    private static List<String> matching(Sysfs sysfs, String directory, NameGlob wanted, int most) throws IOException {
        if (wanted.isLiteral()) {
            return sysfs.exists(directory + "/" + wanted.text()) ? List.of(wanted.text()) : List.of();
        }
        List<String> names = sysfs.names(directory, wanted::matches, most + 1);
        if (names.size() > most) {
            throw new TooManyFilesException();
        }
        return names;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PathGlob glob && text.equals(glob.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
