package io.edgeplug;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Programs of tests in a JVM of their own, with the memory that {@code packaging/jvm.options} gives the daemon. */
public final class SmallHeap {

    private static final Duration PATIENCE = Duration.ofSeconds(100);

    private SmallHeap() {}

    /**
     * How a program ended.
     *
     * @param exit 3 if it ran out of memory; -1 if it did not end
     * @param output what it wrote, to stderr too
     */
    public record End(int exit, String output) {}

    /** Starts the class's {@code main}, which writes to stderr what it writes to stdout. */
    public static Process start(Class<?> program, String... args) throws IOException {
        return new ProcessBuilder(command(List.of(), program, args))
                .redirectErrorStream(true)
                .start();
    }

    /** Runs the class's {@code main} until it ends. */
    public static End run(Class<?> program, String... args) throws IOException, InterruptedException {
        return run(List.of(), program, args);
    }

    /** Runs the class's {@code main} until it ends, with more options of the JVM's. */
    public static End run(List<String> options, Class<?> program, String... args)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile("edgeplug-small", ".log");
        try {
            Process process = new ProcessBuilder(command(options, program, args))
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            boolean ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            process.destroyForcibly();
            return new End(ended ? process.exitValue() : -1, Files.readString(output));
        } finally {
            Files.delete(output);
        }
    }

    private static List<String> command(List<String> options, Class<?> program, String... args) throws IOException {
        // Java does not receive a signal that its parent process ignores.
        List<String> command = new ArrayList<>(List.of(
                "env",
                "--default-signal=HUP",
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path")));
        // not those of the cache of classes, which the packages bring and a test has none of
        Files.readAllLines(Path.of("packaging/jvm.options")).stream()
                .filter(line -> line.startsWith("-X") || line.startsWith("-Dio.netty.allocator"))
                .filter(line -> !line.contains("AOT"))
                .forEach(command::add);
        command.addAll(options);
        command.add(program.getName());
        command.addAll(List.of(args));
        return command;
    }
}
