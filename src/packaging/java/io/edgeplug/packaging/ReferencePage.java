package io.edgeplug.packaging;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** {@code edgeplug.toml(5)}, made of {@code docs/edgeplug.toml.md}; a kind of Markdown that is not used there is an error. */
final class ReferencePage {

    private final List<String> lines;
    private final Roff page;
    private int next;

    private ReferencePage(List<String> lines, Roff page) {
        this.lines = lines;
        this.page = page;
    }

    /** The page as troff takes it, of a text that begins with its title and a sentence that sums it up. */
    static String of(List<String> lines, String date, String version) {
        String name = lines.get(0).replaceFirst("^# ", "");
        Roff page = new Roff(name, 5, date, version, Documents.summary(lines.get(1)));
        new ReferencePage(lines.subList(2, lines.size()), page).write();
        return page.section("SEE ALSO").paragraph("`edgeplug`(8)").toString();
    }

    private void write() {
        while (next < lines.size()) {
            String line = lines.get(next);
            if (line.isEmpty()) {
                next++;
            } else if (line.startsWith("### ")) {
                page.subsection(line.substring("### ".length()));
                next++;
            } else if (line.startsWith("## ")) {
                page.section(line.substring("## ".length()));
                next++;
            } else if (line.startsWith("```")) {
                next++;
                page.example(until(one -> one.equals("```")));
                next++;
            } else if (line.startsWith("|")) {
                table(until(one -> !one.startsWith("|")));
            } else if (line.matches("[A-Z`*].*")) {
                page.paragraph(String.join(" ", until(one -> one.isEmpty() || one.startsWith("```"))));
            } else {
                throw new IllegalStateException("edgeplug.toml.md: not known how to set this: " + line);
            }
        }
    }

    private List<String> until(Predicate<String> end) {
        List<String> block = new ArrayList<>();
        while (next < lines.size() && !end.test(lines.get(next))) {
            block.add(lines.get(next++));
        }
        return block;
    }

    /** Each row an item, named by its first column; columns between that and the last are told with their heading. */
    private void table(List<String> rows) {
        List<String> headings = cells(rows.get(0));
        for (String row : rows.subList(2, rows.size())) {
            List<String> cells = cells(row);
            List<String> body = new ArrayList<>();
            for (int column = 1; column < cells.size() - 1; column++) {
                body.add(headings.get(column) + " " + cells.get(column) + ": ");
            }
            page.item(cells.getFirst(), String.join("", body) + cells.getLast());
        }
    }

    private static List<String> cells(String row) {
        return Stream.of(row.substring(1, row.length() - 1).split("\\|"))
                .map(String::strip)
                .toList();
    }
}
