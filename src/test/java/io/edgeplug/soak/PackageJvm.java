package io.edgeplug.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Commands that run a class of the tests in the JVM of the package, with its heap. */
public final class PackageJvm {

    private static final Path OPTIONS = Path.of("packaging/jvm.options");

    /** Of the installed files only. */
    private static final List<String> INSTALLED = List.of("-Djava.library.path", "-Djffi.", "-Djna.", "-XX:AOTCache");

    private PackageJvm() {}

    /** A command that runs the main method of a class. */
    public static List<String> command(String main, String... arguments) throws IOException {
        return command(List.of(), main, arguments);
    }

    /** The same with further options, which come after those of the package. */
    public static List<String> command(List<String> options, String main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
        for (String line : Files.readAllLines(OPTIONS)) {
            if (line.startsWith("-") && INSTALLED.stream().noneMatch(line::startsWith)) {
                command.add(line);
            }
        }
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        command.addAll(List.of(arguments));
        return command;
    }
}
