package io.edgeplug.cli.notes;

import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.programs.Program;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Notes on the container runtime of a node whose classes hand over network interfaces. */
public final class RuntimeNotes {

    private static final List<String> DIRECTORIES = List.of("usr/local/sbin", "usr/local/bin", "usr/sbin", "usr/bin");

    /** Both programs only print what they are. */
    private static final int SECONDS = 2;

    private static final int MAX_OUTPUT = 64 << 10;
    private static final Pattern VERSION = Pattern.compile("\\bv?(\\d+)\\.(\\d+)\\.\\d+");
    private static final Pattern MOVES = Pattern.compile("\"netDevices\"\\s*:\\s*\\{\\s*\"enabled\"\\s*:\\s*true");

    private static final String NEEDED =
            "interface: the node needs a container runtime with CDI 1.1, as containerd 2.2, and runc 1.4 or a crun that"
                    + " moves interfaces";

    private RuntimeNotes() {}

    /**
     * A line for what the runtime lacks, or for what it must have if nothing of it is found. A node may have it in other
     * places too, so none of this is a mistake. Of a captured node, nothing is known.
     */
    public static List<String> of(DeviceClass one, Sysfs sysfs) {
        if (one.recipe().movedInterface().isEmpty()) {
            return List.of();
        }
        boolean isThisNode = sysfs.locate("").toAbsolutePath().normalize().equals(Path.of("/"));
        return isThisNode
                ? lacking(
                        output("containerd", "--version").orElse(null),
                        output("runc", "features").orElse(null))
                : List.of();
    }

    /** The notes by what the two programs print; null for one that is not there. */
    static List<String> lacking(@Nullable String containerd, @Nullable String runc) {
        List<String> notes = new ArrayList<>();
        if (containerd != null && isOlder(containerd, 2, 2)) {
            notes.add(NEEDED + ", but this one is older, update it: " + containerd.strip());
        }
        if (runc != null && !MOVES.matcher(runc).find()) {
            notes.add(NEEDED + ", but \"runc features\" has no netDevices: update runc");
        }
        if (containerd == null && runc == null) {
            notes.add(NEEDED);
        }
        return notes;
    }

    private static boolean isOlder(String text, int major, int minor) {
        Matcher version = VERSION.matcher(text);
        if (!version.find()) {
            return false;
        }
        int found = Integer.parseInt(version.group(1));
        return found < major || (found == major && Integer.parseInt(version.group(2)) < minor);
    }

    private static Optional<String> output(String program, String argument) {
        return DIRECTORIES.stream()
                .map(directory -> Path.of("/", directory, program))
                .filter(Files::isExecutable)
                .findFirst()
                .flatMap(path -> output(path, argument));
    }

    /** What a program prints; empty if it fails, takes too long, or others than root could change it. */
    private static Optional<String> output(Path path, String argument) {
        try {
            if (Program.problem(path).isPresent()) {
                return Optional.empty();
            }
            Process process = new ProcessBuilder(path.toString(), argument)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            CompletableFuture<Void> ignored = CompletableFuture.runAsync(
                    process::destroyForcibly, CompletableFuture.delayedExecutor(SECONDS, TimeUnit.SECONDS));
            try (InputStream in = process.getInputStream()) {
                String text = new String(in.readNBytes(MAX_OUTPUT), StandardCharsets.UTF_8);
                return text.isBlank() ? Optional.empty() : Optional.of(text);
            }
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
