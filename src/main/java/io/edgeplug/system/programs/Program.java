package io.edgeplug.system.programs;

import io.edgeplug.system.files.Ownership;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A program of a class, to be run for one of its devices.
 *
 * @param purpose why it is run
 * @param device the ID of the device
 * @param argv begins with an absolute path; no shell interprets it
 * @param deadline how long it may take
 */
public record Program(Purpose purpose, String device, List<String> argv, Duration deadline, ProgramLimits limits) {

    /** Why programs are run. */
    public enum Purpose {
        /** It prepares the device for its next container. */
        PREPARE,
        /** It judges the device. */
        HEALTH
    }

    public Program {
        argv = List.copyOf(argv);
    }

    /** Its whole environment. */
    SortedMap<String, String> environment() {
        SortedMap<String, String> environment = new TreeMap<>();
        environment.put("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        environment.put("LANG", "C.UTF-8");
        environment.put("EDGEPLUG_DEVICE", device);
        return environment;
    }

    /** The message for a program that was killed at its deadline. */
    String tookTooLong() {
        return "took longer than " + deadline.toSeconds() + " s and was killed";
    }

    /**
     * Checks that a program could be started.
     *
     * @throws IOException if it cannot
     */
    public static void check(List<String> argv) throws IOException {
        if (argv.getFirst().contains("=")) {
            // env(1), which starts the program, would take this for a variable.
            throw new IOException(argv.getFirst() + ": the path of a program must not contain =, rename it");
        }
        Optional<String> problem = problem(Path.of(argv.getFirst()));
        if (problem.isPresent()) {
            throw new IOException(argv.getFirst() + ": " + problem.orElseThrow());
        }
    }

    /**
     * Why a file cannot be run, or must not be, because others can change what this process would run.
     *
     * @return a text that follows the file's name
     * @throws IOException if it cannot be looked at
     */
    public static Optional<String> problem(Path file) throws IOException {
        if (!Files.exists(file)) {
            return Optional.of("no such program");
        }
        return Files.isExecutable(file) && Files.isRegularFile(file)
                ? Ownership.problem(file)
                : Optional.of("is not a program");
    }
}
