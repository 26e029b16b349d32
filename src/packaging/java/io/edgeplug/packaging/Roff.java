package io.edgeplug.packaging;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A manual page in the macros of man(7), line by line. Text comes in Markdown, as far as our documentation uses it. */
final class Roff {

    /** {@code code}, emphasis, and links, of which only the text is left: a page has nowhere to go to. */
    private static final Pattern MARKUP = Pattern.compile("`([^`]+)`|\\*([^*]+)\\*|\\[([^]]+)]\\([^)]*\\)");

    private final StringBuilder page = new StringBuilder();

    /** Begins a page; the summary is what apropos(1) finds. */
    Roff(String name, int section, String date, String source, String summary) {
        line(".TH \"%s\" %d %s \"%s\"".formatted(name.toUpperCase(Locale.ROOT), section, date, source));
        section("NAME");
        line(escape(name) + " \\- " + escape(summary));
    }

    Roff section(String title) {
        return line(".SH " + plain(title));
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
            if (markup.group(1) != null) {
                text.append("\\fB").append(escape(markup.group(1))).append("\\fR");
            } else if (markup.group(2) != null) {
                text.append("\\fI").append(escape(markup.group(2))).append("\\fR");
            } else {
                text.append(inline(markup.group(3)));
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
