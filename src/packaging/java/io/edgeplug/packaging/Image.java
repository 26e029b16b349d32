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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes {@code target/image}, the files that all packages have: classes, launcher, service, configuration and documentation;
 * and the rest with {@link NativeImage}, for each architecture.
 *
 * <p>Run from the project's directory by the build, as a source file, with the product on its class path.
 */
final class Image {

    /** Where everything but the launcher is installed. */
    static final String HOME = "usr/lib/edgeplug";

    private final Path root;
    private final FileTime time;

    private Image(Path root, FileTime time) {
        this.root = root;
        this.time = time;
    }

    /**
     * Arguments: Maven's build directory, the time that all files get, the version, and {@code true} for this machine's
     * architecture alone.
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        Path target = Path.of(args[0]);
        Image image = new Image(target.resolve("image"), FileTime.from(Instant.parse(args[1])));
        delete(image.root);
        image.make(target, args[2], natives(target, Boolean.parseBoolean(args[3])));
    }

    /** This machine's is the first. */
    private static List<NativeImage> natives(Path target, boolean isOwnAlone) throws IOException, InterruptedException {
        List<NativeImage> images = new ArrayList<>(List.of(NativeImage.own(target)));
        for (Architecture architecture : Architecture.values()) {
            if (!isOwnAlone && architecture != Architecture.own()) {
                images.add(NativeImage.foreign(target, ForeignJdk.fetch(architecture)));
            }
        }
        return images;
    }

    private void make(Path target, String version, List<NativeImage> natives) throws IOException, InterruptedException {
        Path home = Files.createDirectories(root.resolve(HOME));
        List<Path> jars = Jars.install(target, home, time);
        String classPath = jars.stream()
                .map(jar -> "/" + root.relativize(jar))
                .collect(Collectors.joining(":", "-cp ", System.lineSeparator()));
        Files.writeString(home.resolve("class.path"), classPath);
        copy("packaging/jvm.options", HOME + "/jvm.options");
        copy("packaging/has-entry.sh", HOME + "/has-entry");
        copy("packaging/may-start.sh", HOME + "/may-start");
        copy("packaging/forget.sh", HOME + "/forget");
        String cache = "classes-" + Jars.hash(jars) + ".aot";
        String launcher = Files.readString(Path.of("packaging/edgeplug.sh")).replace("@CACHE@", cache);
        write("usr/bin/edgeplug", launcher);
        String bill = bill(target.resolve("bom.json"));
        for (NativeImage image : natives) {
            image.install(bill);
        }
        NativeImage own = natives.getFirst();
        own.train(home, cache);
        List<NativeImage> others = natives.subList(1, natives.size());
        if (!others.isEmpty()) {
            Path classes = own.listClasses(home);
            for (NativeImage other : others) {
                other.dump(home, classes, cache);
            }
        }
        for (NativeImage image : natives) {
            image.finish(time);
        }
        new Documents(root, time.toInstant(), version).write(bill);
        copyConfiguration();
        setTimes(root, time);
    }

    /** Maven's bill of materials, or one of nothing: its plugin makes none while Maven is offline. */
    private static String bill(Path file) throws IOException {
        if (Files.exists(file)) {
            return Files.readString(file);
        }
        System.err.println("bill of materials: not in these packages, and licenses are not compared with it, "
                + "because Maven is offline (-o)");
        return Bill.NONE;
    }

    private void copyConfiguration() throws IOException {
        copy("packaging/deb/lintian-overrides", "usr/share/lintian/overrides/edgeplug");
        copyAll("etc", "etc/edgeplug");
        copyAll("systemd", "usr/lib/systemd/system");
        copyAll("udev", "usr/lib/udev/rules.d");
        // where images of FPGAs are staged: the service may write there if it is there when it starts
        Files.createDirectories(root.resolve("usr/lib/firmware"));
        for (String executable :
                List.of("usr/bin/edgeplug", HOME + "/has-entry", HOME + "/may-start", HOME + "/forget")) {
            Files.setPosixFilePermissions(root.resolve(executable), PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    static void setTimes(Path root, FileTime time) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.setLastModifiedTime(file, time);
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
}
