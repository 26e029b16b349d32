package io.edgeplug.packaging;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Sets documents in Markdown as manual pages; a kind of Markdown that is not used in them is an error. */
final class ReferencePage {

    private static final String FIRST_SECTION = "## Files";

    private final List<String> lines;
    private final Roff page;
    private int next;

    private ReferencePage(List<String> lines, Roff page) {
        this.lines = lines;
        this.page = page;
    }

    /**
     * {@code edgeplug.toml(5)} as troff takes it.
     *
     * @param lines of the reference, which begins with its title and a sentence that sums it up
     * @param more the sections that only the page has
     */
    static String of(List<String> lines, List<String> more, String date, String version) {
        String name = lines.get(0).replaceFirst("^# ", "");
        Roff page = new Roff(name, 5, date, version, Documents.summary(lines.get(1)));
        page.section("Synopsis").paragraph("`/etc/edgeplug/edgeplug.toml`").paragraph("`/etc/edgeplug/class.d/*.toml`");
        // which files there are is the page's own last section
        page.section("Description");
        append(
                lines.stream()
                        .skip(2)
                        .filter(line -> !line.equals(FIRST_SECTION))
                        .toList(),
                page);
        append(more, page);
        return page.section("See also")
                .paragraph("`edgeplug`(8), `systemd.resource-control`(5)")
                .toString();
    }

    /** Adds sections to a page. */
    static void append(List<String> lines, Roff page) {
        new ReferencePage(lines, page).write();
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
            } else if (line.startsWith("- ")) {
                point();
            } else if (line.matches("[A-Za-z`*].*")) {
                page.paragraph(String.join(" ", until(one -> one.isEmpty() || one.matches("(```|\\||- ).*"))));
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

    private void point() {
        String first = lines.get(next++).substring("- ".length());
        List<String> rest = until(one -> !one.startsWith("  "));
        page.point(first + rest.stream().map(one -> " " + one.strip()).collect(Collectors.joining()));
    }

    private void table(List<String> rows) {
        page.table(
                cells(rows.get(0)),
                rows.stream().skip(2).map(ReferencePage::cells).toList());
    }

    private static List<String> cells(String row) {
        return Stream.of(row.substring(1, row.length() - 1).split("\\|"))
                .map(String::strip)
                .toList();
    }
}
