package io.edgeplug.bench;

import io.edgeplug.system.systemd.Journal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures all that edgeplug is judged by and prints one table; see docs/performance.md. */
@Command(name = "bench", mixinStandardHelpOptions = true, description = "Print the figures that edgeplug is judged by.")
final class Bench implements Callable<Integer> {

    @Option(names = "--compare", paramLabel = "FILE", description = "The JSON of an older run, to print beside.")
    private Optional<Path> compare = Optional.empty();

    @Option(names = "--json", paramLabel = "FILE", description = "Where the figures go as JSON.")
    private Path json = Path.of("target/bench.json");

    @Option(names = "--svg", paramLabel = "FILE", description = "Where the main figures go as a picture.")
    private Path svg = Path.of("target/bench.svg");

    @Option(
            names = "--sections",
            paramLabel = "NAME,...",
            description = "Measure only these: socket, restart, hotplug, files, udev, calls, stall, status, choice, "
                    + "scan, release, first-list, footprint.")
    private String sections = "";

    @Option(
            names = "--beside",
            paramLabel = "DEB",
            description = "An older package, to measure in turns with this one.")
    private Optional<Path> beside = Optional.empty();

    /** Measures. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Bench()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        Journal.toStderr(Level.SEVERE);
        Report report =
                Report.comparedWith(compare.filter(file -> !file.toString().isEmpty()));
        Set<String> only = Set.of(sections.split(",", -1));
        for (Section section : sections()) {
            if (sections.isEmpty() || only.contains(section.name())) {
                System.out.println("measuring " + section.name() + ", load " + load());
                section.measure(report::add);
                report.write(json);
                report.draw(svg);
            }
        }
        System.out.println();
        System.out.println(machine());
        System.out.println();
        report.print(System.out);
        return 0;
    }

    private List<Section> sections() {
        return List.of(
                JmhFigures.socket(),
                new RestartFigures(),
                new HotPlugFigures(),
                new FileFigures(),
                new UdevFigures(),
                JmhFigures.calls(),
                new StallFigures(),
                new StatusFigures(),
                JmhFigures.held(),
                JmhFigures.choice(),
                JmhFigures.scan(),
                new ReleaseFigures(),
                new FirstListFigures(),
                new FootprintFigures(beside.filter(file -> !file.toString().isEmpty())));
    }

    private static String machine() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            String model = lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown processor");
            return model + ", " + Runtime.getRuntime().availableProcessors() + " processors, Linux "
                    + System.getProperty("os.version") + ", Java " + Runtime.version() + ", load " + load();
        }
    }

    private static String load() throws IOException {
        return Files.readString(Path.of("/proc/loadavg")).split(" ", 2)[0];
    }
}
