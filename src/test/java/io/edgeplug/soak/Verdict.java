package io.edgeplug.soak;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Whether a daemon is still as it should be after a turn.
 *
 * @param problems what is not as it should be
 * @param isLost whether only a new daemon can be attacked further
 */
record Verdict(List<String> problems, boolean isLost) {

    static final long LONGEST_MILLIS = Long.getLong("soak.longest", 1_000);
    private static final int MOST_LINES = 1_000;
    private static final int MOST_THREADS = 100;
    private static final long MOST_RESIDENT_KIB = 260 << 10;

    Verdict {
        problems = List.copyOf(problems);
    }

    static Verdict of(Attack attack, Steadiness steadiness) throws IOException, InterruptedException {
        List<String> problems = new ArrayList<>(attack.takeFound());
        boolean isLost = !problems.isEmpty();
        Optional<Integer> exit = attack.target().exit();
        if (exit.isEmpty()) {
            attack.awaitHeard();
            boolean follows = attack.follows();
            exit = attack.target().exit();
            if (!follows && exit.isEmpty()) {
                problems.add("is deaf: a change is not listed within " + Attack.PATIENCE_MILLIS + " ms, and "
                        + Ground.FLIP_VF + " is " + attack.kubelet().health(Ground.FLIP, Ground.FLIP_VF));
                isLost = true;
            }
        }
        if (exit.isPresent()) {
            problems.add("ended with " + exit.orElseThrow() + ": "
                    + Cleanliness.visible(attack.target().lastWords()));
            return new Verdict(problems, true);
        }
        Probe.Result probe = attack.probe().result();
        if (probe.longestMillis() > LONGEST_MILLIS) {
            problems.add("Allocate took " + probe.longestMillis() + " ms");
        }
        probe.refused().ifPresent(text -> problems.add("Allocate was refused: " + Cleanliness.visible(text)));
        long silence = attack.target().beats().longestSilence().toSeconds();
        if (silence >= Beats.PATIENCE.toSeconds()) {
            problems.add("did not feed the watchdog for " + silence + " s");
        }
        readLog(attack.takeLog(), problems);
        attack.target().size().ifPresent(steadiness::add);
        if (probe.threads() > MOST_THREADS) {
            problems.add("had up to " + probe.threads() + " threads");
            isLost = true;
        }
        if (probe.residentKiB() > MOST_RESIDENT_KIB) {
            problems.add("took up to " + (probe.residentKiB() >> 10) + " MiB");
            isLost = true;
        }
        return new Verdict(problems, isLost);
    }

    private static void readLog(Target.Log log, List<String> problems) {
        List<String> lines = log.text().lines().toList();
        long count = log.bytes() > log.text().length() * 4L ? log.bytes() / 80 : lines.size();
        if (count > MOST_LINES) {
            problems.add("wrote " + (count / 1000) + " thousand lines or more into the log, as "
                    + Cleanliness.visible(lines.getLast()));
        }
        lines.stream()
                .filter(line -> line.startsWith(Hostile.PLANTED) || line.startsWith("warning: " + Hostile.PLANTED))
                .findFirst()
                .ifPresent(line -> problems.add("a line of the log was written by somebody else"));
        lines.stream()
                .filter(line -> line.contains("a bug in edgeplug"))
                .findFirst()
                .ifPresent(line -> problems.add(Cleanliness.visible(line)));
        lines.stream()
                .filter(Cleanliness::isUnclean)
                .findFirst()
                .ifPresent(line -> problems.add("a line of the log has control characters"));
    }
}
