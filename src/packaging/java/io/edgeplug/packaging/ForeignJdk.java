package io.edgeplug.packaging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A JDK of another architecture: Debian's, with the libraries that it needs, as files that an emulator can run. */
record ForeignJdk(Architecture architecture, Path root) {

    /** Fetches it, unless that was done this week, or throws an exception that says what is missing on this machine. */
    static ForeignJdk fetch(Architecture architecture) throws IOException, InterruptedException {
        Path root = Path.of(output("src/packaging/foreign-jdk", architecture.debian(), architecture.emulator())
                .strip());
        return new ForeignJdk(architecture, root);
    }

    private static String output(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output;
        try (var reader = process.inputReader()) {
            output = reader.readAllAsString();
        }
        if (process.waitFor() != 0) {
            throw new IOException("cannot build the packages of another architecture, see above; "
                    + "mvn -Ppackages -Dnative package builds those of this machine's architecture alone");
        }
        return output;
    }

    /** What jlink links from. */
    Path modules() throws IOException {
        try (Stream<Path> jdks = Files.list(root.resolve("usr/lib/jvm"))) {
            return jdks.map(jdk -> jdk.resolve("jmods"))
                    .filter(Files::isDirectory)
                    .findFirst()
                    .orElseThrow(() -> new IOException(root + ": has no jmods"));
        }
    }

    /** What to write before a command of that architecture. */
    List<String> emulator() {
        return List.of(architecture.emulator(), "-L", root.toString());
    }
}
