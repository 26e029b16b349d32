package io.edgeplug.system.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** When files were written, although somebody sets the clock. */
final class SteadyClockTest {

    private static final Instant STEADY = Instant.parse("2026-05-01T12:00:00Z");

    /** What the daemon finds, if the clock was set by so much and the file written so long ago by the new clock. */
    private static Instant of(Duration set, Duration age) {
        Instant clock = STEADY.plus(set);
        return SteadyClock.of(clock.minus(age), clock, STEADY);
    }

    @Test
    void ageOfAFileCountsWhateverTheClockShows() {
        Duration hour = Duration.ofHours(1);
        Duration age = Duration.ofSeconds(3);

        assertThat(of(Duration.ZERO, age)).isEqualTo(STEADY.minus(age));
        assertThat(of(hour, age)).isEqualTo(STEADY.minus(age));
        assertThat(of(hour.negated(), age)).isEqualTo(STEADY.minus(age));
        assertThat(of(hour.negated(), hour.negated())).as("of before that").isEqualTo(Instant.EPOCH);
        assertThat(of(Duration.ZERO, Duration.ofMillis(-4)))
                .as("of this tick of the kernel")
                .isEqualTo(STEADY.plusMillis(4));
    }
}
