package io.edgeplug.system.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.system.flow.LosableThreads.Call;
import io.edgeplug.system.flow.LosableThreads.OverdueException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Work hangs in the kernel here: it opens a FIFO that nobody writes to. */
@Timeout(120)
final class LosableThreadsTest {

    private static final Duration SOON = Duration.ofMillis(20);
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    private Path directory = Path.of("");

    private Path fifo = Path.of("");
    private final Queue<Integer> begun = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void block() throws Exception {
        fifo = directory.resolve("fifo");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor())
                .isZero();
    }

    @AfterEach
    void letGo() throws IOException {
        // To open it for both never waits.
        FileChannel.open(fifo, StandardOpenOption.READ, StandardOpenOption.WRITE)
                .close();
    }

    private Call<Integer> hang(LosableThreads threads, int about) {
        return threads.call(about, "hangs", () -> {
            begun.add(about);
            return Files.readAllBytes(fifo).length;
        });
    }

    private void awaitBegun(int count) {
        Deadline end = Deadline.in(LONG);
        while (begun.size() < count) {
            assertThat(end.isOver()).isFalse();
            Thread.onSpinWait();
        }
    }

    @Test
    void workThatHangsCostsOneThreadAndNobodyMoreThanTheirDeadline() throws Exception {
        LosableThreads threads = new LosableThreads();
        assertThatThrownBy(() -> hang(threads, 1).await(SOON))
                .isInstanceOf(OverdueException.class)
                .hasMessage("takes longer than 0 s, and the kernel is still at it");
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> hang(threads, 1).await(LONG))
                    .isInstanceOf(OverdueException.class)
                    .hasMessage("not done, because the kernel is still at what was done before");
        }
        assertThat(begun).containsExactly(1);
        assertThat(threads.isBusy(1)).isTrue();
        assertThat(threads.call(2, "other", () -> 3).await(LONG)).isEqualTo(3);

        letGo();
        Deadline end = Deadline.in(LONG);
        while (threads.isBusy(1)) {
            assertThat(end.isOver()).isFalse();
            Thread.onSpinWait();
        }
        assertThat(threads.call(1, "again", () -> 4).await(LONG)).isEqualTo(4);
    }

    @Test
    void workThatIsGivenUpLetsOthersGoOnUpToALimit() throws Exception {
        LosableThreads threads = new LosableThreads(2, 3);
        List<Call<Integer>> calls = List.of(hang(threads, 1), hang(threads, 2), hang(threads, 3), hang(threads, 4));
        awaitBegun(2);
        assertThat(begun).containsExactlyInAnyOrder(1, 2);

        threads.giveUp(3);
        threads.giveUp(1);
        threads.giveUp(1);
        awaitBegun(3);
        threads.giveUp(2);
        threads.giveUp(3);
        assertThatThrownBy(() -> calls.get(3).await(SOON)).isInstanceOf(OverdueException.class);
        assertThat(begun).hasSize(3).contains(3);

        letGo();
        for (Call<Integer> call : calls.subList(0, 3)) {
            assertThat(call.await(LONG)).isZero();
        }
        assertThat(threads.call(5, "next", () -> 6).await(LONG)).isEqualTo(6);
        assertThat(begun).doesNotContain(4);
    }

    @Test
    void nextWorkAboutTheSameMayBeginAsSoonAsThereIsAResult() throws Exception {
        LosableThreads threads = new LosableThreads(1, 1);
        for (int i = 0; i < 300; i++) {
            int result = i;
            assertThat(threads.call("it", "one of many", () -> result).await(LONG))
                    .isEqualTo(i);
        }
    }

    @Test
    void problemAndBugAreThoseOfTheWork() {
        LosableThreads threads = new LosableThreads(1, 1);
        assertThatThrownBy(() -> threads.call("it", "problem", () -> {
                            throw new IOException("no such thing");
                        })
                        .await(LONG))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("no such thing");
        assertThatThrownBy(() ->
                        threads.call("it", "bug", () -> Integer.parseInt("x")).await(LONG))
                .hasCauseInstanceOf(NumberFormatException.class);
        assertThat(threads.isBusy("it")).isFalse();
    }

    @Test
    void waitingWorkNeverBeginsAfterTheEnd() throws Exception {
        LosableThreads threads = new LosableThreads(1, 1);
        Call<Integer> first = hang(threads, 1);
        Call<Integer> second = hang(threads, 2);
        awaitBegun(1);

        List<Thread> left = threads.close();
        LosableThreads.join(left, SOON);
        letGo();
        LosableThreads.join(left, LONG);

        assertThat(left).hasSize(1).noneMatch(Thread::isAlive);
        assertThatThrownBy(() -> second.await(Duration.ZERO)).isInstanceOf(OverdueException.class);
        assertThat(begun).containsExactly(1);
        assertThat(first.await(LONG)).isZero();
    }
}
