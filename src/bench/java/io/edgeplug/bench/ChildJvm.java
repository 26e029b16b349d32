package io.edgeplug.bench;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** A JVM of its own that measures, as small as that of the packages. */
final class ChildJvm {

    /** Those of packaging/jvm.options that bear on what is measured. */
    private static final List<String> OPTIONS = List.of(
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xms7m",
            "-Xmx48m",
            "-Xmn2m",
            "-Xss512k",
            "-Djnr.ffi.asm.enabled=false",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow");

    private ChildJvm() {}

    /**
     * Runs a class there, whose first argument is the file for its {@link Report}.
     *
     * @param wrapper a command that runs the rest of its arguments; empty for none
     */
    static Collection<Figure> run(List<String> wrapper, Class<?> main, String... arguments)
            throws IOException, InterruptedException {
        Path result = Files.createTempFile("edgeplug-bench", ".json");
        List<String> own = new ArrayList<>(List.of(result.toString()));
        own.addAll(List.of(arguments));
        Process process = start(wrapper, main, own);
        if (process.waitFor() != 0) {
            throw new IOException(main.getSimpleName() + " failed");
        }
        Collection<Figure> figures = Report.read(result).values();
        Files.delete(result);
        return figures;
    }

    /** Starts a class there, and does not wait; its standard input is a pipe. */
    static Process start(List<String> wrapper, Class<?> main, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(wrapper);
        command.add(ProcessHandle.current().info().command().orElseThrow());
        command.addAll(OPTIONS);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectOutput(Redirect.INHERIT)
                .redirectError(Redirect.INHERIT)
                .start();
    }
}
