package io.edgeplug.system.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When something is tried again that works for moments. The pauses are so long that none of them passes. */
final class BackoffTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final Backoff backoff = new Backoff(HOUR, HOUR.multipliedBy(8));

    private long hours() {
        // A moment has passed since the failure.
        return backoff.due().orElseThrow().left().plusMinutes(1).toHours();
    }

    @Test
    void successThatDidNotLastDoesNotShortenTheNextPause() {
        backoff.failed();
        assertThat(hours()).isEqualTo(1);
        backoff.succeeded();
        assertThat(backoff.isDue()).isTrue();
        backoff.failed();
        assertThat(hours()).isEqualTo(2);
        backoff.succeeded();
        backoff.failed();
        assertThat(hours()).isEqualTo(4);
    }

    @Test
    void failureAfterAResetIsAFirstOne() {
        backoff.failed();
        backoff.failed();
        backoff.reset();
        assertThat(backoff.isDue()).isTrue();
        backoff.failed();
        assertThat(hours()).isEqualTo(1);
    }
}
