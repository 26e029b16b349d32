package io.edgeplug.bench;

import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.model.rules.DeviceClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** From a new {@code kubelet.sock} until every resource's list has come, and what 1,000 restarts leave behind. */
final class RestartFigures implements Section {

    private static final long PATIENCE_SECONDS = 30;
    private static final int ROUNDS = 200;
    private static final int WARM_UP = 50;

    @Override
    public String name() {
        return "restart";
    }

    @Override
    public void measure(Consumer<Figure> figures) throws Exception {
        for (int resources : List.of(1, 16)) {
            figures.accept(restarts(resources, ROUNDS, figures)
                    .millis("kubelet.sock -> list, " + resources + (resources == 1 ? " resource" : " resources"))
                    .with(Target.p99(50)));
        }
        figures.accept(restarts(3, 1000, figures).millis("kubelet.sock -> list, 3 resources, 1,000 restarts"));
    }

    private static Samples restarts(int resources, int rounds, Consumer<Figure> figures) throws Exception {
        List<DeviceClass> classes = IntStream.range(0, resources)
                .mapToObj(i -> BigNode.vfs("vf" + i, 4 * i + "-" + (4 * i + 3)))
                .toList();
        Samples samples = new Samples();
        Arrivals arrivals = new Arrivals();
        try (Rig rig = Rig.open(
                BigNode.tree(1 + 4 * resources), classes, node -> node.uevents(), Duration.ZERO, arrivals::note)) {
            arrivals.awaitAll(resources);
            for (int i = 0; i < WARM_UP; i++) {
                rig.kubelet().restart();
                arrivals.awaitAll(resources);
            }
            long threads = threads();
            long descriptors = descriptors();
            for (int i = 0; i < rounds; i++) {
                rig.kubelet().restart();
                samples.add(arrivals.awaitAll(resources));
            }
            if (rounds >= 1000) {
                figures.accept(Figure.single("threads more after 1,000 restarts", "", threads() - threads));
                figures.accept(Figure.single("descriptors more after 1,000 restarts", "", descriptors() - descriptors));
            }
        }
        return samples;
    }

    private static long threads() throws IOException {
        return count(Path.of("/proc/self/task"));
    }

    private static long descriptors() throws IOException {
        return count(Path.of("/proc/self/fd"));
    }

    private static long count(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.count();
        }
    }

    /** When the kubelet began to serve, and when lists came since. */
    private static final class Arrivals {

        private record Arrival(String resource, long when) {}

        private static final String SERVING = "";

        private final BlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();

        void note(KubeletEvent event) {
            long now = System.nanoTime();
            if (event instanceof KubeletEvent.Serving) {
                arrivals.add(new Arrival(SERVING, now));
            } else if (event instanceof KubeletEvent.DeviceList list
                    && !list.devices().isEmpty()) {
                arrivals.add(new Arrival(list.resource().toString(), now));
            }
        }

        /** How long after it began to serve there was a list of each. */
        long awaitAll(int resources) throws InterruptedException, TimeoutException {
            long began = 0;
            Set<String> here = new HashSet<>();
            while (true) {
                Arrival next = arrivals.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
                if (next == null) {
                    throw new TimeoutException(here.size() + " of " + resources + " resources came");
                }
                if (next.resource().equals(SERVING)) {
                    began = next.when();
                    here.clear();
                } else if (here.add(next.resource()) && here.size() == resources) {
                    return next.when() - began;
                }
            }
        }
    }
}
