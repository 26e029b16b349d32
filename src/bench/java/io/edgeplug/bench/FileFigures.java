package io.edgeplug.bench;

import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** How long the kubelet does not know yet of a file that has come or gone: until its list has come. */
final class FileFigures implements Section {

    private static final ResourceName RESOURCE = ResourceName.parse("example.com/cam");
    private static final Duration SETTLE = Duration.ofMillis(150);
    private static final String VANISHES = "file vanishes -> list, among ";
    private static final String APPEARS = "file appears -> list, settle " + SETTLE.toMillis() + " ms, among ";

    /** The directory that larger ones are compared with. */
    private static final String SMALLEST = "1 file";

    private static final int ROUNDS = 200;
    private static final int WARM_UP = 50;

    @Override
    public String name() {
        return "files";
    }

    @Override
    public void measure(Consumer<Figure> figures) throws Exception {
        measure(SMALLEST, 1, 1, figures);
        measure("100 files", 100, 100, figures);
        measure("10,000 files, 100 of them devices", 10_000, 100, figures);
        measure("4,000 files, all of them devices", 4000, 4000, figures);
    }

    /** The classes of the daemon's parts. */
    static List<DeviceClass> classes() {
        return List.of(DeviceClass.of(
                RESOURCE, Kind.PATH, new Selector(Map.of(SelectorWord.PATHS, List.of("/dev/cams/cam*")))));
    }

    /** In a directory with so many files, of which the pattern names some. */
    private static void measure(String what, int files, int devices, Consumer<Figure> figures) throws Exception {
        Samples vanished = new Samples();
        Samples appeared = new Samples();
        Lists lists = new Lists(RESOURCE);
        try (Scratch scratch = Scratch.make()) {
            Path node = scratch.directory().toRealPath().resolve("node");
            Path cams = Files.createDirectories(node.resolve("dev/cams"));
            for (int i = 0; i < files; i++) {
                Files.createFile(cams.resolve((i < devices ? "cam" : "other") + i));
            }
            try (LocalKubelet kubelet = LocalKubelet.open(Parts.kubeletDir(scratch.directory()), lists::note);
                    PartsJvm parts = PartsJvm.startWithFiles(node, scratch.directory(), SETTLE)) {
                lists.await(devices);
                Path cam = cams.resolve("cam0");
                for (int i = 0; i < WARM_UP + ROUNDS; i++) {
                    long vanishes = System.nanoTime();
                    Files.delete(cam);
                    long gone = lists.await(devices - 1) - vanishes;
                    long appears = System.nanoTime();
                    Files.createFile(cam);
                    long there = lists.await(devices) - appears;
                    if (i >= WARM_UP) {
                        vanished.add(gone);
                        appeared.add(there);
                    }
                }
            }
        }
        tell(vanished.millis(VANISHES + what), VANISHES, 10, what, figures);
        tell(appeared.millis(APPEARS + what), APPEARS, SETTLE.toMillis() + 10, what, figures);
    }

    private static void tell(Figure figure, String begins, long p99, String what, Consumer<Figure> figures) {
        boolean isSmallest = what.equals(SMALLEST);
        Figure targeted = figure.with(Target.p99(p99));
        figures.accept(isSmallest ? targeted : targeted.above(begins + SMALLEST));
    }
}
