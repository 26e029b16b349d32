package io.edgeplug.box;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The files with which QEMU runs a Debian node, made by src/test/node/build.sh. They are in {@code EDGEPLUG_NODE_CACHE}
 * or in {@code ~/.cache/edgeplug-node}, and are made again when their sources have changed.
 */
record Box(Path directory) {

    private static final Path SOURCES = Path.of("src/test/node");
    private static final int HASH_CHARS = 12;

    /** Builds the box of an architecture ahead of the scenarios, as CI does while other tests run. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Box box = open(arguments[0]);
        System.out.println("the box is in " + box.directory());
    }

    /** Why there can be no box of that architecture here; empty if there can. */
    static Optional<String> missing(String architecture) {
        if (!System.getProperty("os.arch").equals("amd64")) {
            return Optional.of("the box is made on amd64, and this is " + System.getProperty("os.arch"));
        }
        if (!"root".equals(System.getProperty("user.name"))) {
            return Optional.of("only root can build and run the box");
        }
        for (String command : List.of("mmdebstrap", "unshare")) {
            if (!isInstalled(command)) {
                return Optional.of(command + " is missing: apt-get install " + command);
            }
        }
        if (architecture.equals("arm64") && !isInstalled("qemu-aarch64-static")) {
            return Optional.of("qemu-aarch64-static is missing: apt-get install qemu-user-static");
        }
        return Optional.empty();
    }

    static boolean isInstalled(String command) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, command)));
    }

    /** The box. It takes minutes to build if there is none of these sources yet. Older ones are deleted. */
    static Box open(String architecture) throws IOException, InterruptedException {
        Path cache = cache().resolve(architecture);
        Files.createDirectories(cache);
        try (FileChannel lock =
                        FileChannel.open(cache.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                var locked = lock.lock()) {
            Path box = cache.resolve(hash());
            if (!Files.exists(box)) {
                Path unfinished = cache.resolve("unfinished");
                clear(cache);
                build(architecture, unfinished, cache.resolve("build.log"));
                Files.move(unfinished, box);
            }
            return new Box(box);
        }
    }

    private static Path cache() {
        return Optional.ofNullable(System.getenv("EDGEPLUG_NODE_CACHE"))
                .map(Path::of)
                .orElse(Path.of(System.getProperty("user.home"), ".cache", "edgeplug-node"));
    }

    private static void build(String architecture, Path directory, Path log) throws IOException, InterruptedException {
        System.err.println("building the node's box in " + directory + ", which takes minutes; see " + log);
        Process process = new ProcessBuilder(SOURCES.resolve("build.sh").toString(), architecture, directory.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        int status = process.waitFor();
        if (status != 0) {
            throw new IOException(
                    "cannot build the node's box, build.sh ended with " + status + ": " + Files.readString(log));
        }
    }

    /** Another box may still be in use. Its open files stay until they are closed. */
    private static void clear(Path cache) throws IOException, InterruptedException {
        try (Stream<Path> boxes = Files.list(cache)) {
            for (Path box : boxes.filter(Files::isDirectory).toList()) {
                new ProcessBuilder("rm", "-rf", "--one-file-system", box.toString())
                        .start()
                        .waitFor();
            }
        }
    }

    private static String hash() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            files.filter(Files::isRegularFile)
                    .filter(file -> !file.endsWith("README.md"))
                    .sorted(Comparator.naturalOrder())
                    .forEach(file -> {
                        sha.update(file.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8));
                        sha.update(bytes(file));
                    });
            return HexFormat.of().formatHex(sha.digest()).substring(0, HASH_CHARS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static byte[] bytes(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
