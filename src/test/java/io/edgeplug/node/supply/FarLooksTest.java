package io.edgeplug.node.supply;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads for looks that may never return. */
@Timeout(60)
final class FarLooksTest {

    private static final String HANGS = "does not answer";

    private final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void end() {
        end.countDown();
    }

    private String hang() {
        try {
            return end.await(50, TimeUnit.SECONDS) ? "ended" : "not ended";
        } catch (InterruptedException e) {
            return "interrupted";
        }
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("look at files"))
                .count();
    }

    @Test
    void classesThatComeAndGoMakeNoMoreThreads() {
        long before = threads();
        for (int i = 0; i < 200; i++) {
            assertThat(new FarLooks().look("g1", () -> "seen", problem -> problem))
                    .isEqualTo("seen");
        }
        assertThat(threads()).isLessThan(before + 10);
    }

    @Test
    void classWhoseLooksHangDelaysNoOther() {
        FarLooks hanging = new FarLooks();
        List<String> problems = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            problems.add(hanging.look("g" + i, this::hang, problem -> problem));
        }

        assertThat(problems.subList(0, 4)).allMatch(problem -> problem.contains(HANGS));
        assertThat(problems.subList(4, 8)).allMatch(problem -> problem.contains("4 other devices"));
        assertThat(new FarLooks().look("g1", () -> "seen", problem -> problem)).isEqualTo("seen");
    }

    /** As when an administrator reloads while no file answers. */
    @Test
    void moreLooksThanThreadsAreRefusedAndThreadsThatReturnServeAgain() throws Exception {
        long before = threads();
        List<CompletableFuture<String>> late = new ArrayList<>();
        for (int i = 0; i < 2 * FarLooks.MAX_THREADS; i++) {
            CompletableFuture<String> problem = new CompletableFuture<>();
            late.add(problem);
            new FarLooks().run(this::hang, missed -> problem.complete(missed.problem()));
        }
        for (CompletableFuture<String> one : late) {
            assertThat(one.get(30, TimeUnit.SECONDS)).contains("is not looked at");
        }
        assertThat(threads()).isLessThanOrEqualTo(Math.max(before, FarLooks.MAX_THREADS));

        end.countDown();

        String seen = "";
        while (!seen.equals("seen")) {
            seen = new FarLooks().look("g1", () -> "seen", problem -> problem);
        }
    }
}
