package io.edgeplug.packaging;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Holds {@code packaging/copyright} against what the jars and their poms say of themselves. */
final class Notices {

    /** A holder as notices name one: years first, or none. */
    private static final Pattern HOLDER =
            Pattern.compile("(?im)^\\W*copyright\\s+(?:\\(c\\)\\s*)?(?:[0-9][-0-9, ]*)?\\s*(?:by )?(\\S.*?)\\.?\\s*$");

    /** A library that another has inside, and says so. */
    private static final Pattern INSIDE = Pattern.compile("META-INF/maven/([^/]+)/([^/]+)/pom\\.properties");

    /** What poms call these licenses, and Debian. */
    private static final Map<String, String> DEBIAN = Map.of(
            "The GNU Lesser General Public License, Version 2.0", "LGPL-2",
            "GNU Lesser General Public License Version 2.1", "LGPL-2.1");

    private final List<Paragraph> paragraphs;
    private final JsonArray components;

    /** The files that have a name which begins so, with the fields that are said of them. */
    private record Paragraph(List<String> prefixes, String text, String license) {}

    /** Takes the text of the file, and Maven's bill of materials, which has the licenses of the poms. */
    Notices(String copyright, String bill) {
        paragraphs = List.of(copyright.split("\n\n")).stream()
                .filter(text -> text.startsWith("Files:"))
                .map(Notices::paragraph)
                .toList();
        components = JsonParser.parseString(bill).getAsJsonObject().getAsJsonArray("components");
    }

    private static Paragraph paragraph(String text) {
        Matcher path = Pattern.compile(Image.HOME + "/lib/(\\S+)\\*").matcher(text);
        List<String> prefixes = path.results().map(name -> name.group(1)).toList();
        Matcher license = Pattern.compile("(?m)^License: (.*)$").matcher(text);
        return new Paragraph(prefixes, text.replaceAll("\\s+", " "), license.find() ? license.group(1) : "");
    }

    /** What the file lacks of a jar: nothing, as a rule. */
    List<String> lacks(Path jar) throws IOException {
        String name = String.valueOf(jar.getFileName());
        Optional<Paragraph> named = paragraphs.stream()
                .filter(paragraph -> paragraph.prefixes().stream().anyMatch(name::startsWith))
                .findFirst();
        if (named.isEmpty()) {
            return List.of("does not name " + name);
        }
        Paragraph paragraph = named.get();
        List<String> mistakes = new ArrayList<>();
        List<String> licenses = licenses(name);
        if (!components.isEmpty() && !licenses.contains(paragraph.license())) {
            mistakes.add("%s: is under %s, and its pom says %s".formatted(name, paragraph.license(), licenses));
        }
        for (String holder : holders(jar)) {
            if (!paragraph.text().contains(holder)) {
                mistakes.add("%s: does not name its holder %s".formatted(name, holder));
            }
        }
        return mistakes;
    }

    private List<String> licenses(String jar) {
        List<String> names = new ArrayList<>();
        for (JsonElement element : components) {
            JsonObject component = element.getAsJsonObject();
            String begin = component.get("name").getAsString() + "-"
                    + component.get("version").getAsString();
            if ((jar.equals(begin + ".jar") || jar.startsWith(begin + "-")) && component.has("licenses")) {
                component.getAsJsonArray("licenses").forEach(license -> names.add(name(license.getAsJsonObject())));
            }
        }
        return names.stream().distinct().toList();
    }

    private static String name(JsonObject entry) {
        if (!entry.has("license")) {
            return entry.get("expression").getAsString();
        }
        JsonObject license = entry.getAsJsonObject("license");
        String name = license.get(license.has("id") ? "id" : "name").getAsString();
        return DEBIAN.getOrDefault(name, name);
    }

    /** Those that the jar's own notices name, and the libraries inside it, by their names. */
    private static Set<String> holders(Path jar) throws IOException {
        Set<String> holders = new TreeSet<>();
        try (JarFile file = new JarFile(jar.toFile())) {
            for (JarEntry entry : file.stream().toList()) {
                Matcher inside = INSIDE.matcher(entry.getName());
                if (inside.matches() && !String.valueOf(jar.getFileName()).startsWith(inside.group(2))) {
                    holders.add(inside.group(2));
                }
                if (entry.getName().matches("(?i)(META-INF/)?(NOTICE|COPYRIGHT)[^/]*")) {
                    String notice = new String(file.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8);
                    HOLDER.matcher(notice).results().forEach(holder -> holders.add(holder.group(1)));
                }
            }
        }
        return holders;
    }
}
