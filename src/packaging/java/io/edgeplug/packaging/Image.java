package io.edgeplug.packaging;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes {@code target/image}, the files of both packages as they are installed: runtime, classes, native libraries, AOT
 * cache, launcher, service, configuration and documentation.
 *
 * <p>Run from the project's directory by the build, as a source file, with the product on its class path.
 */
final class Image {

    /** Where everything but the launcher is installed. */
    static final String HOME = "usr/lib/edgeplug";

    /** No more of the JDK than the product uses: its classes, its log, and sun.misc.Signal. */
    private static final String MODULES = "java.base,java.logging,jdk.unsupported";

    private final Path root;
    private final FileTime time;

    private Image(Path root, FileTime time) {
        this.root = root;
        this.time = time;
    }

    /** Arguments: Maven's build directory, the time that all files get, and the version. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Path target = Path.of(args[0]);
        Image image = new Image(target.resolve("image"), FileTime.from(Instant.parse(args[1])));
        delete(image.root);
        image.make(target, args[2]);
    }

    private void make(Path target, String version) throws IOException, InterruptedException {
        linkRuntime();
        List<Path> jars = Jars.install(target, root.resolve(HOME), time);
        String classPath = jars.stream()
                .map(jar -> "/" + root.relativize(jar))
                .collect(Collectors.joining(":", "-cp ", System.lineSeparator()));
        Files.writeString(root.resolve(HOME).resolve("class.path"), classPath);
        copy("packaging/jvm.options", HOME + "/jvm.options");
        copy("packaging/has-entry.sh", HOME + "/has-entry");
        copy("packaging/forget.sh", HOME + "/forget");
        String cache = "classes-" + Jars.hash(jars) + ".aot";
        Training.run(root, cache, target.resolve("training"));
        String launcher = Files.readString(Path.of("packaging/edgeplug.sh")).replace("@CACHE@", cache);
        write("usr/bin/edgeplug", launcher);
        new Documents(root, time.toInstant(), version).write();
        copy("packaging/deb/lintian-overrides", "usr/share/lintian/overrides/edgeplug");
        copyAll("etc", "etc/edgeplug");
        copyAll("systemd", "usr/lib/systemd/system");
        copyAll("udev", "usr/lib/udev/rules.d");
        // where images of FPGAs are staged: the service may write there if it is there when it starts
        Files.createDirectories(root.resolve("usr/lib/firmware"));
        for (String executable : List.of("usr/bin/edgeplug", HOME + "/has-entry", HOME + "/forget")) {
            Files.setPosixFilePermissions(root.resolve(executable), PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.setLastModifiedTime(file, time);
            }
        }
    }

    private void linkRuntime() throws IOException {
        Files.createDirectories(root.resolve(HOME));
        String runtime = root.resolve(HOME).resolve("runtime").toString();
        ToolProvider jlink = ToolProvider.findFirst("jlink").orElseThrow();
        List<String> options = List.of(
                "--add-modules", MODULES, "--output", runtime, "--vm", "server", "--strip-java-debug-attributes");
        List<String> trims = List.of("--no-header-files", "--no-man-pages");
        int code = jlink.run(
                System.out,
                System.err,
                Stream.concat(options.stream(), trims.stream()).toArray(String[]::new));
        if (code != 0) {
            throw new IOException("jlink: ended with " + code);
        }
        // a tool of administrators that the product does not have
        Files.deleteIfExists(Path.of(runtime, "bin", "keytool"));
        followLinks(Path.of(runtime));
    }

    /** A license that is a link to another module's would be missing from the .rpm, which takes no links. */
    private static void followLinks(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path link : files.filter(Files::isSymbolicLink).toList()) {
                Path target = link.toRealPath();
                Files.delete(link);
                Files.copy(target, link);
            }
        }
    }

    private void copyAll(String from, String to) throws IOException {
        Path source = Path.of(from);
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                copy(file.toString(), to + "/" + source.relativize(file));
            }
        }
    }

    private void copy(String from, String to) throws IOException {
        Path file = root.resolve(to);
        Files.createDirectories(file.getParent());
        Files.copy(Path.of(from), file, StandardCopyOption.REPLACE_EXISTING);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    }

    private void write(String to, String text) throws IOException {
        Path file = root.resolve(to);
        Files.createDirectories(file.getParent());
        Files.write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> {
                try {
                    Files.delete(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    /** What the parts of this machine's architecture are called by those who name them. */
    static Map<String, String> architecture() {
        String arch = System.getProperty("os.arch");
        return switch (arch) {
            case "amd64" -> Map.of("netty", "x86_64", "jffi", "x86_64-Linux", "jna", "linux-x86-64");
            case "aarch64" -> Map.of("netty", "aarch_64", "jffi", "aarch64-Linux", "jna", "linux-aarch64");
            default -> throw new IllegalStateException("no native libraries for " + arch);
        };
    }
}
