package io.edgeplug.bench;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.util.Statistics;

/** What JMH measures, each in a process of its own with the heap of the packages. */
final class JmhFigures implements Section {

    /** What a benchmark is called here. */
    private record Line(String benchmark, String params, String name, String floor, Target target) {}

    private static final String ROUND_TRIP = "round trip on a bare Unix socket";
    private static final String EMPTY = "empty gRPC call";
    private static final String EMPTY_OF_EIGHT = "empty gRPC call, 8 callers";

    private final String name;
    private final String include;
    private final List<Line> lines;

    private JmhFigures(String name, String include, List<Line> lines) {
        this.name = name;
        this.include = include;
        this.lines = lines;
    }

    static JmhFigures socket() {
        return new JmhFigures(
                "socket", "SocketBenchmark", List.of(new Line("roundTrip", "", ROUND_TRIP, "", Target.NONE)));
    }

    static JmhFigures calls() {
        return new JmhFigures(
                "calls",
                "AllocateBenchmark",
                List.of(
                        new Line("emptyCall", "", EMPTY, ROUND_TRIP, Target.NONE),
                        new Line("emptyCallOfEightCallers", "", EMPTY_OF_EIGHT, EMPTY, Target.NONE),
                        new Line("computingAlone", "", "Allocate of 2 VFs, computing alone", "", Target.NONE),
                        new Line("allocate", "", "Allocate of 2 VFs", EMPTY, Target.timesFloor(1.5)),
                        new Line(
                                "allocateOfEightCallers",
                                "",
                                "Allocate of 2 VFs, 8 callers",
                                EMPTY_OF_EIGHT,
                                Target.p99(5000)),
                        new Line("preStartOfNothing", "", "PreStart, empty recipe", EMPTY, Target.NONE),
                        new Line("preStartOfReset", "", "PreStart, simulated FLR", EMPTY, Target.NONE)));
    }

    static JmhFigures held() {
        String none = "who may have 2 VFs, 0 others held";
        String noShare = "who may have a share, 0 others of its device held";
        return new JmhFigures(
                "held",
                "Held\\w*Benchmark",
                List.of(
                        new Line("give", "0", none, "", Target.NONE),
                        new Line("give", "1000", "who may have 2 VFs, 1,000 others held", none, Target.timesFloor(1.5)),
                        new Line("give", "4000", "who may have 2 VFs, 4,000 others held", none, Target.timesFloor(1.5)),
                        new Line("giveShare", "0", noShare, "", Target.NONE),
                        new Line("giveShare", "100", "who may have a share, 100 others held", noShare, Target.NONE),
                        new Line("giveShare", "999", "who may have a share, 999 others held", noShare, Target.NONE)));
    }

    static JmhFigures choice() {
        return new JmhFigures(
                "choice",
                "PreferredAllocationBenchmark",
                List.of(
                        new Line("chooseEight", "64 PACK", "choice of 8 of 64", "", Target.NONE),
                        new Line("chooseEight", "4096 PACK", "choice of 8 of 4,096", "", Target.NONE)));
    }

    static JmhFigures scan() {
        String floor = "bare reads of the files of one VF, 16 functions";
        return new JmhFigures(
                "scan",
                "ScanBenchmark",
                List.of(
                        new Line("filesOfOneVf", "16", floor, "", Target.NONE),
                        new Line("oneVf", "16", "scan of one VF, 16 functions", floor, Target.NONE),
                        new Line("oneVf", "256", "scan of one VF, 256 functions", floor, Target.NONE),
                        new Line(
                                "oneVf",
                                "4096",
                                "scan of one VF, 4,096 functions",
                                "scan of one VF, 16 functions",
                                Target.timesFloor(2)),
                        new Line("everything", "16", "scan of 16 functions", floor, Target.NONE),
                        new Line("everything", "256", "scan of 256 functions", floor, Target.NONE),
                        new Line("everything", "4096", "scan of 4,096 functions", floor, Target.NONE)));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void measure(Consumer<Figure> figures) throws Exception {
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .include("\\." + include + "\\.")
                        .mode(Mode.SampleTime)
                        .addProfiler(GCProfiler.class)
                        .shouldFailOnError(true)
                        .build())
                .run();
        for (Line line : lines) {
            for (RunResult result : results) {
                if (line.equals(line(result))) {
                    measured(line, result, figures);
                }
            }
        }
    }

    private Line line(RunResult result) {
        String benchmark = result.getParams().getBenchmark();
        String params = String.join(
                " ",
                result.getParams().getParamsKeys().stream()
                        .map(key -> result.getParams().getParam(key))
                        .toList());
        return lines.stream()
                .filter(line -> benchmark.endsWith("." + line.benchmark())
                        && line.params().equals(params))
                .findFirst()
                .orElse(new Line(benchmark, params, "", "", Target.NONE));
    }

    private static void measured(Line line, RunResult result, Consumer<Figure> figures) {
        Statistics times = result.getPrimaryResult().getStatistics();
        figures.accept(new Figure(
                line.name(),
                "us",
                times.getN(),
                times.getPercentile(50),
                times.getPercentile(99),
                times.getPercentile(99.9),
                times.getMax(),
                line.floor(),
                line.target()));
        allocated(result).ifPresent(bytes -> figures.accept(Figure.single(line.name() + ": heap, each", "B", bytes)));
    }

    private static Optional<Double> allocated(RunResult result) {
        return result.getSecondaryResults().values().stream()
                .filter(one -> one.getLabel().endsWith("gc.alloc.rate.norm"))
                .map(Result::getScore)
                .findFirst();
    }
}
