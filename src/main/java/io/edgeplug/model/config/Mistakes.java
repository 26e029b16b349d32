package io.edgeplug.model.config;

import io.edgeplug.system.kernel.PlainText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects mistakes, so that all of them are reported at once, in their order in the files. */
public final class Mistakes {

    /** More lines than this help nobody, and a file of garbage has thousands. */
    private static final int MAX_TOLD = 100;

    /** The text that a mistake quotes may be as long as its file. */
    private static final int MAX_LENGTH = 600;

    private final List<String> files = new ArrayList<>();
    private final List<Mistake> told = new ArrayList<>();
    private int count;

    private record Mistake(int file, int line, String text) {}

    /** Adds a mistake of a file as a whole. */
    public void add(String file, String what) {
        add(file, 0, what);
    }

    /**
     * Adds a mistake on a line, counted from 1. Control characters are removed, because they must not reach a terminal.
     */
    public void add(String file, int line, String what) {
        count++;
        if (!files.contains(file)) {
            files.add(file);
        }
        if (told.size() < MAX_TOLD) {
            String place = line == 0 ? file : file + ": line " + line;
            told.add(new Mistake(files.indexOf(file), line, PlainText.of(shortened(place + ": " + what))));
        }
    }

    private static String shortened(String line) {
        int half = MAX_LENGTH / 2;
        return line.length() <= MAX_LENGTH
                ? line
                : line.substring(0, half) + " … " + line.substring(line.length() - half);
    }

    /** The texts of those after the first ones, without the file. */
    public List<String> after(int first) {
        return told.stream()
                .skip(first)
                .map(one -> one.text()
                        .substring(Math.min(
                                one.text().length(), files.get(one.file()).length() + 2)))
                .toList();
    }

    /** All texts, each with its place. */
    public List<String> texts() {
        return told.stream().map(Mistake::text).toList();
    }

    public int count() {
        return count;
    }

    /**
     * Ends a reading with mistakes.
     *
     * @throws ConfigException with a line for each
     */
    public void throwIfAny() throws ConfigException {
        List<String> texts = new ArrayList<>(told.stream()
                .sorted(Comparator.comparingInt(Mistake::file).thenComparingInt(Mistake::line))
                .map(Mistake::text)
                .toList());
        if (count > texts.size()) {
            texts.add("and " + (count - texts.size()) + " mistakes more");
        }
        if (count > 0) {
            throw new ConfigException(texts);
        }
    }
}
