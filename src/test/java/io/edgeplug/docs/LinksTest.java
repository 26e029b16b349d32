package io.edgeplug.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The links of the handbook lead to files and headings of this checkout, and its index has every page. */
final class LinksTest {

    private static final Path INDEX = Path.of("docs/README.md");
    private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```$");
    private static final Pattern CODE = Pattern.compile("`[^`\\n]*`");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]*)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.*)$");
    private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");

    @Test
    void everyRelativeLinkLeadsSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Path page : pages()) {
            for (String link : links(page)) {
                links++;
                if (!leadsSomewhere(page, link)) {
                    broken.add(page + ": " + link);
                }
            }
        }

        assertThat(broken).isEmpty();
        assertThat(links).isPositive();
    }

    @Test
    void indexHasEveryPage() throws IOException {
        List<Path> listed = links(INDEX).stream()
                .map(link -> INDEX.resolveSibling(file(link)).normalize())
                .toList();

        assertThat(listed)
                .containsAll(pages().stream()
                        .filter(page -> page.startsWith("docs") && !page.equals(INDEX))
                        .toList());
    }

    /** README, CONTRIBUTING, and the pages of the handbook. */
    static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.list(Path.of("docs"))) {
            return Stream.concat(
                            Stream.of(Path.of("README.md"), Path.of("CONTRIBUTING.md")),
                            docs.filter(path -> path.toString().endsWith(".md")).sorted())
                    .toList();
        }
    }

    private static List<String> links(Path page) throws IOException {
        String text = FENCED.matcher(Files.readString(page)).replaceAll("");
        return LINK.matcher(CODE.matcher(text).replaceAll("code"))
                .results()
                .map(match -> match.group(1))
                .filter(link -> !ELSEWHERE.matcher(link).matches())
                .toList();
    }

    private static boolean leadsSomewhere(Path page, String link) throws IOException {
        Path target =
                file(link).isEmpty() ? page : page.resolveSibling(file(link)).normalize();
        int hash = link.indexOf('#');
        return Files.exists(target) && (hash < 0 || anchors(target).contains(link.substring(hash + 1)));
    }

    private static String file(String link) {
        int hash = link.indexOf('#');
        return hash < 0 ? link : link.substring(0, hash);
    }

    /** The anchors that GitHub gives to the headings of a page; a second heading of a name gets a number. */
    private static Set<String> anchors(Path page) throws IOException {
        Set<String> anchors = new HashSet<>();
        Map<String, Integer> seen = new HashMap<>();
        String text = FENCED.matcher(Files.readString(page)).replaceAll("");
        HEADING.matcher(text).results().map(match -> anchor(match.group(1))).forEach(anchor -> {
            int before = seen.merge(anchor, 1, Integer::sum) - 1;
            anchors.add(before == 0 ? anchor : anchor + "-" + before);
        });
        return anchors;
    }

    private static String anchor(String heading) {
        return heading.toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
    }
}
