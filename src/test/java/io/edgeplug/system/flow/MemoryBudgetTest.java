package io.edgeplug.system.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is in memory for others at the same time. */
@Timeout(60)
final class MemoryBudgetTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final MemoryBudget budget = new MemoryBudget(100);

    @Test
    void shareThatIsNotFreeIsRefusedWithASentence() throws Exception {
        try (MemoryBudget.Share ignored = budget.take(60, PATIENCE)) {
            assertThatThrownBy(() -> budget.take(60, Duration.ZERO))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("others need the memory");
        }
        budget.take(60, Duration.ZERO).close();
    }

    @Test
    void shareIsWaitedFor() throws Exception {
        MemoryBudget.Share first = budget.take(100, PATIENCE);
        CompletableFuture<Boolean> second = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try (MemoryBudget.Share ignored = budget.take(1, PATIENCE)) {
                second.complete(true);
            } catch (IOException | InterruptedException e) {
                second.completeExceptionally(e);
            }
        });
        first.close();

        assertThat(second.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void whatIsLargerThanAllHasAll() throws Exception {
        try (MemoryBudget.Share ignored = budget.take(1000, PATIENCE)) {
            assertThatThrownBy(() -> budget.take(1, Duration.ZERO)).isInstanceOf(IOException.class);
        }
        budget.take(100, Duration.ZERO).close();
    }
}
