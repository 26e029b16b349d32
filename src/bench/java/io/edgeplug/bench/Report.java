package io.edgeplug.bench;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.reflect.TypeToken;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** All figures of a run as one table, beside those of an older run, and as JSON. */
final class Report {

    private static final Gson GSON = new GsonBuilder()
            .setPrettyPrinting()
            .serializeSpecialFloatingPointValues()
            .create();

    private final Map<String, Figure> figures = new LinkedHashMap<>();
    private final Map<String, Figure> older;

    private Report(Map<String, Figure> older) {
        this.older = older;
    }

    /** One that compares with the JSON of an older run. */
    static Report comparedWith(Optional<Path> old) throws IOException {
        return new Report(old.isPresent() ? read(old.orElseThrow()) : Map.of());
    }

    static Map<String, Figure> read(Path file) throws IOException {
        Map<String, Figure> read = new LinkedHashMap<>();
        List<Figure> all = GSON.fromJson(Files.readString(file), new TypeToken<List<Figure>>() {}.getType());
        all.forEach(figure -> read.put(figure.name(), figure));
        return read;
    }

    void add(Figure figure) {
        figures.put(figure.name(), figure);
    }

    void write(Path file) throws IOException {
        Files.writeString(file, GSON.toJson(new ArrayList<>(figures.values())));
    }

    /** The main ones as a picture. */
    void draw(Path file) throws IOException {
        Files.writeString(file, Chart.of(figures));
    }

    /** In Markdown. */
    void print(PrintStream out) {
        out.println("| what | n | median | p99 | p99.9 | max | x floor | target |"
                + (older.isEmpty() ? "" : " median before |"));
        out.println("|---|--:|--:|--:|--:|--:|--:|---|" + (older.isEmpty() ? "" : "--:|"));
        for (Figure figure : figures.values()) {
            out.println(row(figure));
        }
    }

    private String row(Figure figure) {
        boolean isSingle = figure.samples() == 1;
        Figure floor = figures.get(figure.floor());
        String row = "| " + figure.name() + " | " + figure.samples() + " | "
                + number(figure.median()) + " " + figure.unit() + " | "
                + (isSingle ? "" : number(figure.p99())) + " | "
                + (isSingle ? "" : number(figure.p999())) + " | "
                + (isSingle ? "" : number(figure.max())) + " | "
                + (floor == null ? "" : number(figure.median() / floor.median())) + " | "
                + figure.target().verdict(figure, figures) + " |";
        Figure before = older.get(figure.name());
        return older.isEmpty() ? row : row + (before == null ? "" : " " + number(before.median())) + " |";
    }

    /** Three digits tell all that a run on a machine with other things to do can know. */
    private static String number(double value) {
        if (value >= 100 || value == Math.rint(value)) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, value >= 10 ? "%.1f" : "%.2f", value);
    }
}
