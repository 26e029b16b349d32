package io.edgeplug.bench;

import com.google.gson.Gson;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The packaged daemon, installed in a container: how fast it starts, and what it takes while it runs. */
final class FootprintFigures implements Section {

    private static final Path TARGET = Path.of("target");

    /** By how a figure's name begins. */
    private static final Map<String, Target> TARGETS =
            Map.of("start to registered, median", Target.median(200), "RSS", Target.median(64 << 10));

    /** A line of what the script writes. */
    private record Line(String name, String unit, double value) {}

    @Override
    public String name() {
        return "footprint";
    }

    @Override
    public void measure(Consumer<Figure> figures) throws Exception {
        Optional<Path> deb = deb();
        if (deb.isEmpty()) {
            System.out.println("NOT MEASURED: footprint needs the package: mvn -Ppackages,bench verify");
            return;
        }
        Path result = TARGET.resolve("footprint.json");
        Files.deleteIfExists(result);
        Process process = new ProcessBuilder(
                        "src/bench/packages/footprint", deb.orElseThrow().toString())
                .redirectOutput(Redirect.INHERIT)
                .redirectError(Redirect.INHERIT)
                .start();
        if (process.waitFor() != 0) {
            throw new IOException("the package could not be measured");
        }
        if (!Files.exists(result)) {
            System.out.println("NOT MEASURED: footprint was skipped, see above");
            return;
        }
        for (String text : Files.readAllLines(result)) {
            Line line = new Gson().fromJson(text, Line.class);
            Target target = TARGETS.entrySet().stream()
                    .filter(entry -> line.name().startsWith(entry.getKey()))
                    .map(Map.Entry::getValue)
                    .findFirst()
                    .orElse(Target.NONE);
            figures.accept(Figure.single(line.name(), line.unit(), line.value()).with(target));
        }
    }

    private static Optional<Path> deb() throws IOException {
        try (DirectoryStream<Path> debs = Files.newDirectoryStream(TARGET, "edgeplug_*.deb")) {
            for (Path deb : debs) {
                return Optional.of(deb);
            }
            return Optional.empty();
        }
    }
}
