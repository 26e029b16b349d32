package io.edgeplug.lab.simulation;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The files, links and directories that a text names, in the order of its lines.
 *
 * <pre>
 * # a comment
 * etc/gophers/                    an empty directory
 * [sys/devices/pci0000:3a]        the lines below are relative to it, until [] or the next section
 * numa_node = 0                   a file, see {@link AttributeValue}
 * driver -&gt; ../../bus/pci/x       a symbolic link, its target as written
 * </pre>
 *
 * <p>White space around a line does not count. A path leads to one place by one way: it is relative to the node's root,
 * goes through no link and is there once.
 */
record Tree(List<Entry> entries) {

    /** The entry of one line of the tree. */
    sealed interface Entry {

        int line();

        /** From the root. */
        Path path();

        record File(int line, Path path, AttributeValue value) implements Entry {}

        record Link(int line, Path path, String target) implements Entry {}

        /** A directory that may stay empty. Directories on the way to another entry need no line. */
        record Directory(int line, Path path) implements Entry {}
    }

    Tree {
        entries = List.copyOf(entries);
    }

    /**
     * Reads the text.
     *
     * @throws IllegalArgumentException at its first mistake: {@code line 12: ...}
     */
    static Tree parse(String text) {
        Parser parser = new Parser();
        for (String line : text.lines().toList()) {
            parser.read(line.strip());
        }
        return new Tree(parser.entries);
    }

    static IllegalArgumentException mistake(int line, String reason) {
        return new IllegalArgumentException("line " + line + ": " + reason);
    }

    /**
     * A path of plain names, relative to the root.
     *
     * @throws IllegalArgumentException if it is not
     */
    static Path relative(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("names no path");
        }
        if (text.startsWith("/")) {
            throw new IllegalArgumentException(text + " is absolute: paths begin at the node's root");
        }
        for (String name : text.split("/", -1)) {
            if (name.isEmpty() || name.equals(".") || name.equals("..")) {
                throw new IllegalArgumentException(text + " has an empty, . or .. name on its way");
            }
        }
        return Path.of(text);
    }

    private static final class Parser {

        private final List<Entry> entries = new ArrayList<>();
        private final Map<Path, Entry> named = new HashMap<>();
        /** Directories that other lines need, with the first such line. */
        private final Map<Path, Integer> needed = new HashMap<>();

        private String section = "";
        private int number;

        void read(String line) {
            number++;
            try {
                if (line.startsWith("[")) {
                    section = section(line);
                } else if (!line.isEmpty() && !line.startsWith("#")) {
                    add(entry(line));
                }
            } catch (IllegalArgumentException e) {
                throw mistake(number, String.valueOf(e.getMessage()));
            }
        }

        private static String section(String line) {
            if (!line.endsWith("]")) {
                throw new IllegalArgumentException("a section is a directory in brackets");
            }
            String directory = line.substring(1, line.length() - 1);
            return directory.isEmpty() || directory.equals("/") ? "" : relative(directory) + "/";
        }

        private Entry entry(String line) {
            // An empty value has lost the space after its sign, and a value may contain an arrow.
            String padded = line + " ";
            int equals = padded.indexOf(" = ");
            int arrow = padded.indexOf(" -> ");
            if (equals >= 0 && (arrow < 0 || equals < arrow)) {
                String value = padded.substring(equals + 2).strip();
                return new Entry.File(number, path(line.substring(0, equals)), AttributeValue.parse(value));
            }
            if (arrow >= 0) {
                String target = padded.substring(arrow + 3).strip();
                if (target.isEmpty()) {
                    throw new IllegalArgumentException("the link has no target");
                }
                return new Entry.Link(number, path(line.substring(0, arrow)), target);
            }
            if (line.endsWith("/")) {
                return new Entry.Directory(number, path(line.substring(0, line.length() - 1)));
            }
            throw new IllegalArgumentException("neither \"path = value\", \"path -> target\", \"path/\" nor a section");
        }

        private Path path(String text) {
            relative(text.strip());
            return relative(section + text.strip());
        }

        private void add(Entry entry) {
            Entry before = named.putIfAbsent(entry.path(), entry);
            if (before != null) {
                throw new IllegalArgumentException(entry.path() + " is there already, from line " + before.line());
            }
            Integer need = needed.get(entry.path());
            if (need != null && !(entry instanceof Entry.Directory)) {
                throw new IllegalArgumentException(entry.path() + " is a directory for line " + need);
            }
            for (Path way = entry.path().getParent(); way != null; way = way.getParent()) {
                Entry onTheWay = named.get(way);
                if (onTheWay != null && !(onTheWay instanceof Entry.Directory)) {
                    throw new IllegalArgumentException(
                            entry.path() + " leads through line " + onTheWay.line() + ", which is no directory");
                }
                needed.putIfAbsent(way, number);
            }
            entries.add(entry);
        }
    }
}
