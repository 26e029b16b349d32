package io.edgeplug.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.system.files.NeedsRoot;
import io.edgeplug.system.kernel.OwnNamespaces;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A million hostile inputs against a running daemon in the package's heap; README.md here says what each production is
 * for. {@code -Dseed=N} repeats a run, {@code -Dsoak.only=NAME,…} takes some productions, {@code -Dsoak.share=0.05} takes
 * a part of each one's turns.
 */
@ExtendWith(OwnNamespaces.class)
@EnabledIfSystemProperty(named = "soak", matches = ".*", disabledReason = "takes half an hour; run with -Dsoak")
@Timeout(7200)
@NeedsRoot("is in namespaces of its own")
final class HostileRunTest {

    private static final long SEED = Long.getLong("seed", System.nanoTime());
    private static final double SHARE = Double.parseDouble(System.getProperty("soak.share", "1"));
    private static final List<String> ONLY =
            List.of(System.getProperty("soak.only", "").split(",", -1));

    private final Map<String, TreeSet<String>> found = new TreeMap<>();
    private final Map<String, Integer> inputs = new TreeMap<>();
    private final Map<String, Long> nanos = new TreeMap<>();

    @Test
    void daemonStandsAMillionHostileInputs() throws Exception {
        System.out.println("hostile run: -Dseed=" + SEED);
        long began = System.nanoTime();
        Random random = new Random(SEED);
        Steadiness steadiness = new Steadiness();
        List<Production> turns = turns(random);
        try (Attack attack = Attack.open()) {
            for (Production production : turns) {
                // a turn does not depend on what was drawn in those before it
                long seed = random.nextLong();
                if (!isGivenUp(production)) {
                    take(attack, production, seed, steadiness);
                }
            }
        }
        steadiness.growth().forEach(text -> note("all", text));
        long all = inputs.values().stream().mapToLong(Integer::longValue).sum();
        System.out.printf(
                "hostile run: %,d inputs in %d s; %s%n", all, (System.nanoTime() - began) / 1_000_000_000, steadiness);
        inputs.forEach((name, count) -> System.out.printf(
                "  %-26s %,10d in %4d s%n", name, count, nanos.getOrDefault(name, 0L) / 1_000_000_000));
        assertThat(found)
                .as("what the daemon did not stand, with -Dseed=%d", SEED)
                .isEmpty();
    }

    private static List<Production> turns(Random random) {
        List<Production> turns = new ArrayList<>();
        Stream.of(
                        UeventInputs.all(),
                        CallInputs.all(),
                        SysfsInputs.all(),
                        TomlInputs.all(),
                        FileInputs.all(),
                        AnswerInputs.all(),
                        WireInputs.all(),
                        FloodInputs.all(),
                        ProgramInputs.all(),
                        StartInputs.all(),
                        PeerInputs.all(),
                        ReportInputs.all(),
                        DoorInputs.all(),
                        ClaimInputs.all(),
                        PodInputs.all(),
                        VfsInputs.all(),
                        Readers.all())
                .flatMap(List::stream)
                .filter(production -> ONLY.equals(List.of("")) || ONLY.contains(production.name()))
                .forEach(production ->
                        turns.addAll(Collections.nCopies(Math.max(1, (int) (production.turns() * SHARE)), production)));
        Collections.shuffle(turns, random);
        return turns;
    }

    /** What it has found once it would only find again, and each time costs a daemon. */
    private boolean isGivenUp(Production production) {
        return found.containsKey(production.name());
    }

    private void take(Attack attack, Production production, long seed, Steadiness steadiness) throws Exception {
        long began = System.nanoTime();
        try {
            int count = production.body().attack(attack, new Random(seed));
            inputs.merge(production.name(), count, Integer::sum);
        } catch (IOException | RuntimeException e) {
            if (attack.target().isAlive()) {
                note(production.name(), "the attack failed: " + e);
            }
        }
        Verdict verdict = Verdict.of(attack, steadiness);
        verdict.problems().forEach(text -> note(production.name(), text));
        nanos.merge(production.name(), System.nanoTime() - began, Long::sum);
        if (verdict.isLost()) {
            attack.anew();
            steadiness.begin();
        }
    }

    private void note(String production, String text) {
        if (found.computeIfAbsent(production, none -> new TreeSet<>()).add(text)) {
            System.out.println("found by " + production + ": " + text);
        }
    }
}
