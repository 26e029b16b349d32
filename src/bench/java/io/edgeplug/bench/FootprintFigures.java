package io.edgeplug.bench;

import com.google.gson.Gson;
import io.edgeplug.lab.simulation.SimulatedNode;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The packaged daemon, installed in a container: how fast it starts, and what it takes while it runs. */
final class FootprintFigures implements Section {

    private static final Path TARGET = Path.of("target");

    private static final int VFS = 64;

    /** By how a figure's name begins; the first that fits counts. */
    private static final List<Map.Entry<String, Target>> TARGETS = List.of(
            Map.entry("start to registered, median", Target.median(220)),
            Map.entry("start to registered with 64 VFs, median", Target.median(270)),
            Map.entry("RSS idle with", Target.NONE),
            Map.entry("RSS idle", Target.median(64 << 10)),
            Map.entry("RSS", Target.median(68 << 10)),
            Map.entry("CPU over a quiet minute with", Target.median(60)),
            Map.entry("wakeups over a quiet minute with", Target.median(120)),
            Map.entry("edgeplug --version", Target.median(150)),
            Map.entry("edgeplug list, two files", Target.median(300)),
            Map.entry("cold: kubelet.sock -> first list, longest", Target.median(12_000)),
            Map.entry("cold: very first Allocate, median", Target.median(3_000)),
            Map.entry("cold: Allocate 1 to 100, median", Target.timesFloor(2)),
            Map.entry("warm: Allocate, median", Target.timesFloor(1.25)));

    /** Between two parts of the name of a figure of the floor. */
    private static final String FLOOR = ", floor";

    private final String older;

    /** Also measures an older package in turns with this one, unless there is no such file. */
    FootprintFigures(Optional<Path> older) {
        this.older = older.map(Path::toString).orElse("");
    }

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
        try (Scratch scratch = Scratch.make();
                SimulatedNode vfs = SimulatedNode.unpack(BigNode.tree(1 + VFS), scratch.directory())) {
            ProcessBuilder builder = new ProcessBuilder(
                            "src/bench/packages/footprint", deb.orElseThrow().toString())
                    .redirectOutput(Redirect.INHERIT)
                    .redirectError(Redirect.INHERIT);
            builder.environment().put("EDGEPLUG_FOOTPRINT_VFS", vfs.root().toString());
            if (builder.start().waitFor() != 0) {
                throw new IOException("the package could not be measured");
            }
        }
        measureBeside(deb.orElseThrow());
        if (!Files.exists(result)) {
            System.out.println("NOT MEASURED: footprint was skipped, see above");
            return;
        }
        for (String text : Files.readAllLines(result)) {
            figures.accept(figure(new Gson().fromJson(text, Line.class)));
        }
    }

    /** Calls and memory beside a plugin in Go, on this machine. */
    private void measureBeside(Path deb) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("src/bench/packages/beside", deb.toString()));
        if (!older.isEmpty()) {
            command.add(older);
        }
        int status = new ProcessBuilder(command).inheritIO().start().waitFor();
        if (status != 0) {
            System.out.println("NOT MEASURED: calls beside the floor, see above");
        }
    }

    private static Figure figure(Line line) {
        Target target = TARGETS.stream()
                .filter(entry -> line.name().startsWith(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(Target.NONE);
        int statistic = line.name().indexOf(", ");
        String floor = statistic < 0
                ? ""
                : line.name().substring(0, statistic) + FLOOR + line.name().substring(statistic);
        return Figure.single(line.name(), line.unit(), line.value())
                .above(floor)
                .with(target);
    }

    private static Optional<Path> deb() throws IOException {
        String architecture = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
        try (DirectoryStream<Path> debs = Files.newDirectoryStream(TARGET, "edgeplug_*_" + architecture + ".deb")) {
            for (Path deb : debs) {
                return Optional.of(deb);
            }
            return Optional.empty();
        }
    }
}
