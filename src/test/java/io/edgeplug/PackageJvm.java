package io.edgeplug;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Programs of tests in a JVM of their own, with the memory and options that the package gives the daemon. */
public final class PackageJvm {

    private static final Duration PATIENCE = Duration.ofSeconds(100);

    /** Of the installed files only. */
    private static final List<String> INSTALLED = List.of("-Djava.library.path", "-Djffi.", "-Djna.", "-XX:AOTCache");

    private PackageJvm() {}

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
        return run(command(List.of(), program, args));
    }

    /** Runs such a command until it ends. */
    public static End run(List<String> command) throws IOException, InterruptedException {
        Path output = Files.createTempFile("edgeplug-jvm", ".log");
        try {
            Process process = new ProcessBuilder(command)
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

    /** A command that runs the class's {@code main}, with further options, which come after those of the package. */
    public static List<String> command(List<String> options, Class<?> program, String... args) throws IOException {
        // Java does not receive a signal that its parent process ignores.
        List<String> command = new ArrayList<>(List.of(
                "env",
                "--default-signal=HUP",
                Path.of(System.getProperty("java.home"), "bin/java").toString()));
        Files.readAllLines(Path.of("packaging/jvm.options")).stream()
                .filter(line -> line.startsWith("-") && INSTALLED.stream().noneMatch(line::startsWith))
                .forEach(command::add);
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(List.of(args));
        return command;
    }
}
