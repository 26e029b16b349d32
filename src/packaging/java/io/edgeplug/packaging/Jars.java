package io.edgeplug.packaging;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** The class path as it is installed, and the native libraries beside it, which nothing unpacks at run time. */
final class Jars {

    private static final int HASH_CHARS = 16;

    private Jars() {}

    /**
     * Installs the product's jar and those that it needs.
     *
     * @return the class path, sorted; jars of native libraries only are not in it
     */
    static List<Path> install(Path target, Path home, FileTime time) throws IOException {
        Path lib = Files.createDirectories(home.resolve("lib"));
        List<Path> installed = new ArrayList<>();
        for (Path jar : jars(target)) {
            if (hasClasses(jar)) {
                Path copy = lib.resolve(String.valueOf(jar.getFileName()));
                InstalledJar.write(jar, copy, time);
                Files.setLastModifiedTime(copy, time);
                installed.add(copy);
            }
        }
        return installed;
    }

    /** Installs the native libraries of an architecture, which are in these jars. */
    static void installNatives(Path target, Path home, Architecture architecture) throws IOException {
        Path natives = Files.createDirectories(home.resolve("native"));
        Map<String, String> wanted = natives(architecture);
        for (Path jar : jars(target)) {
            unpack(jar, wanted, natives);
        }
        if (!wanted.isEmpty()) {
            throw new IOException("native libraries that no jar has: " + wanted.keySet());
        }
    }

    /** The class path that Maven gave this program, with the product as a jar. */
    private static List<Path> jars(Path target) {
        Stream<Path> libraries = Stream.of(System.getProperty("java.class.path").split(":"))
                .filter(entry -> entry.endsWith(".jar"))
                .map(Path::of)
                .sorted(Comparator.comparing(Path::getFileName));
        return Stream.concat(Stream.of(target.resolve("edgeplug.jar")), libraries)
                .toList();
    }

    /** Entries of jars, and what the libraries' loaders look for in {@code java.library.path} and the like. */
    private static Map<String, String> natives(Architecture architecture) {
        String netty = "libnetty_transport_native_epoll_" + architecture.netty() + ".so";
        return new TreeMap<>(Map.of(
                "META-INF/native/" + netty, netty,
                "jni/" + architecture.jffi() + "/libjffi-1.2.so", "libjffi-1.2.so",
                "com/sun/jna/" + architecture.jna() + "/libjnidispatch.so", "libjnidispatch.so"));
    }

    /** Unpacks what is wanted and found, which is then wanted no more. */
    private static void unpack(Path jar, Map<String, String> wanted, Path to) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            for (String name : Set.copyOf(wanted.keySet())) {
                JarEntry entry = file.getJarEntry(name);
                if (entry != null) {
                    try (InputStream in = file.getInputStream(entry)) {
                        Files.copy(in, to.resolve(wanted.remove(name)), StandardCopyOption.REPLACE_EXISTING);
                    }
                }
            }
        }
    }

    private static boolean hasClasses(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.stream()
                    .anyMatch(entry -> entry.getName().endsWith(".class")
                            && !entry.getName().endsWith("module-info.class"));
        }
    }

    /** Another for each class path: of the jars' names and contents, in their order. */
    static String hash(List<Path> jars) throws IOException {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            for (Path jar : jars) {
                sha.update(String.valueOf(jar.getFileName()).getBytes(StandardCharsets.UTF_8));
                sha.update(Files.readAllBytes(jar));
            }
            return HexFormat.of().formatHex(sha.digest()).substring(0, HASH_CHARS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
