package io.edgeplug.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A Java process with the heap that the package has, for what must not exhaust it. */
public final class SmallJvm {

    private static final List<String> HEAP =
            List.of("-XX:+UseSerialGC", "-Xmx32m", "-Xmn2m", "-Xss256k", "-XX:+ExitOnOutOfMemoryError");
    private static final long PATIENCE = 100;

    private SmallJvm() {}

    /**
     * Runs a class to its end, which must be an orderly one.
     *
     * @param options more of the JVM's
     * @param scratch where its output is kept
     * @return what it wrote
     */
    public static String run(
            Class<?> main, Path scratch, List<String> options, Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin/java").toString()));
        command.addAll(HEAP);
        command.addAll(options);
        command.addAll(List.of(
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        Path output = scratch.resolve("output");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            boolean hasEnded = process.waitFor(PATIENCE, TimeUnit.SECONDS);
            String text = Files.readString(output);
            assertThat(hasEnded).as("still runs: " + text).isTrue();
            assertThat(process.exitValue()).as(text).isZero();
            return text;
        } finally {
            process.destroyForcibly();
        }
    }
}
