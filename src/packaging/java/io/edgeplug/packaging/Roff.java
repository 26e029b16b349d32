package io.edgeplug.packaging;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A manual page in the macros of man(7), line by line. Text comes in Markdown, as far as our documentation uses it. */
final class Roff {

    /** {@code code} or strong, emphasis, and links, of which only the text is left: a page has nowhere to go to. */
    private static final Pattern MARKUP =
            Pattern.compile("\\*\\*([^*]+)\\*\\*|`([^`]+)`|\\*([^*]+)\\*|\\[([^]]+)]\\([^)]*\\)");

    private final StringBuilder page = new StringBuilder();

    /** Begins a page; the summary is what apropos(1) finds. */
    Roff(String name, int section, String date, String source, String summary) {
        // has man(1) run tbl(1)
        line("'\\\" t");
        line(".TH \"%s\" %d %s \"%s\"".formatted(name.toUpperCase(Locale.ROOT), section, date, source));
        section("NAME");
        line(escape(name) + " \\- " + escape(summary));
    }

    Roff section(String title) {
        String[] parts = title.split("`", -1);
        for (int i = 0; i < parts.length; i += 2) {
            // what is code has its own case
            parts[i] = parts[i].toUpperCase(Locale.ROOT);
        }
        return line(".SH " + plain(String.join("", parts)));
    }

    Roff subsection(String title) {
        return line(".SS " + plain(title));
    }

    Roff paragraph(String markdown) {
        return line(".PP").line(inline(markdown));
    }

    /** An entry of a list: what it is about, and what there is to say of it. */
    Roff item(String tag, String markdown) {
        return line(".TP").line(inline(tag)).line(inline(markdown));
    }

    /** One point of a list. */
    Roff point(String markdown) {
        return line(".IP \\(bu 2").line(inline(markdown));
    }

    /** What a command looks like, which is not stretched to the width of the page. */
    Roff synopsis(String text) {
        return line(".PP")
                .line(".nh")
                .line(".ad l")
                .line(escape(text))
                .line(".ad")
                .line(".hy");
    }

    /** A table, the last column of which takes all the room that is left; see tbl(1). */
    Roff table(List<String> headings, List<List<String>> rows) {
        line(".PP").line(".TS").line("l ".repeat(headings.size() - 1) + "lx.");
        line(headings.stream().map(heading -> "\\fB" + escape(heading) + "\\fR").collect(Collectors.joining("\t")));
        for (List<String> row : rows) {
            String first =
                    row.subList(0, row.size() - 1).stream().map(Roff::inline).collect(Collectors.joining("\t"));
            line(first + "\tT{").line(inline(row.getLast())).line("T}");
        }
        return line(".TE");
    }

    /** Lines that stay as they are. */
    Roff example(List<String> lines) {
        line(".PP").line(".RS 4").line(".EX");
        lines.forEach(text -> line(escape(text)));
        return line(".EE").line(".RE");
    }

    @Override
    public String toString() {
        return page.toString();
    }

    private Roff line(String text) {
        page.append(text).append('\n');
        return this;
    }

    /** A heading is bold as a whole. */
    private static String plain(String markdown) {
        return escape(markdown.replace("`", "").replace("*", ""));
    }

    private static String inline(String markdown) {
        StringBuilder text = new StringBuilder();
        Matcher markup = MARKUP.matcher(markdown);
        int end = 0;
        while (markup.find()) {
            text.append(escape(markdown.substring(end, markup.start())));
            if (markup.group(1) != null || markup.group(2) != null) {
                String strong = markup.group(1) != null ? markup.group(1) : markup.group(2);
                text.append("\\fB").append(escape(strong)).append("\\fR");
            } else if (markup.group(3) != null) {
                text.append("\\fI").append(escape(markup.group(3))).append("\\fR");
            } else {
                text.append(inline(markup.group(4)));
            }
            end = markup.end();
        }
        return text.append(escape(markdown.substring(end))).toString();
    }

    /** As ASCII that can be copied from the page, and never a macro. */
    private static String escape(String text) {
        String escaped = text.replace("\\", "\\e")
                .replace("-", "\\-")
                .replace("'", "\\(aq")
                .replace("`", "\\(ga")
                .replace("^", "\\(ha")
                .replace("~", "\\(ti")
                .replace("…", "...");
        return escaped.startsWith(".") ? "\\&" + escaped : escaped;
    }
}
