package io.edgeplug.system.programs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
        if (!Files.isExecutable(Path.of(argv.getFirst()))) {
            throw new IOException(argv.getFirst() + ": no such program");
        }
    }
}
