package io.edgeplug.packaging;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What programs and libraries need of the system that they are installed on: a version of glibc, and libraries that some
 * builds of the JDK bring and some do not.
 */
record Requirements(int glibc, List<String> libraries) {

    private static final Pattern GLIBC = Pattern.compile("GLIBC_2\\.(\\d+)\0");

    /** What docs/building.md promises; an older one is not tried, even if no binary asks for this one. */
    private static final int OLDEST_GLIBC = 28;

    /** As a linker names them, and Debian's packages of them. */
    private static final Map<String, String> PACKAGES =
            new TreeMap<>(Map.of("libz.so.1", "zlib1g", "libstdc++.so.6", "libstdc++6", "libgcc_s.so.1", "libgcc-s1"));

    /** Of the binaries in these directories; their names are in each one's table of strings, whatever its architecture. */
    static Requirements of(Path... directories) throws IOException {
        int glibc = OLDEST_GLIBC;
        List<String> libraries = new ArrayList<>();
        for (Path directory : directories) {
            for (Path file : binaries(directory)) {
                String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
                Matcher version = GLIBC.matcher(bytes);
                while (version.find()) {
                    glibc = Math.max(glibc, Integer.parseInt(version.group(1)));
                }
                for (String library : PACKAGES.keySet()) {
                    if (bytes.contains("\0" + library + "\0") && !libraries.contains(library)) {
                        libraries.add(library);
                    }
                }
            }
        }
        return new Requirements(glibc, libraries.stream().sorted().toList());
    }

    private static List<Path> binaries(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> file.toString().matches(".*(\\.so|/bin/[^/]+|/jspawnhelper|/jexec)"))
                    .toList();
        }
    }

    /** A part of the field Depends of a .deb. */
    String debian() {
        StringBuilder depends = new StringBuilder("libc6 (>= 2." + glibc + ")");
        libraries.forEach(library -> depends.append(", ").append(PACKAGES.get(library)));
        return depends.toString();
    }

    /** What an .rpm requires, as properties that the build reads. */
    String properties(Architecture architecture) {
        StringBuilder lines = new StringBuilder();
        for (String library : PACKAGES.keySet()) {
            // there is no requirement that is none: everything else needs this one
            String wanted = libraries.contains(library) ? library : "libc.so.6";
            lines.append("%s.%s=%s()(64bit)%n".formatted(architecture.debian(), name(library), wanted));
        }
        return lines.append("%s.glibc=libc.so.6(GLIBC_2.%d)(64bit)%n".formatted(architecture.debian(), glibc))
                .toString();
    }

    private static String name(String library) {
        return library.replaceFirst("\\.so.*", "");
    }
}
