package io.edgeplug.api.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.system.flow.Difference;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AdvertisedTest {

    private static final Advertised A = new Advertised("a", true, List.of());
    private static final Advertised B = new Advertised("b", true, List.of(0));
    private static final Advertised BROKEN_A = new Advertised("a", false, List.of());

    private static boolean isWorse(List<Advertised> before, List<Advertised> after) {
        return Advertised.isWorse(Difference.of(before, after));
    }

    @Test
    void deviceThatGoesOrBreaksIsBadNews() {
        assertThat(isWorse(List.of(A, B), List.of(B))).isTrue();
        assertThat(isWorse(List.of(A, B), List.of(BROKEN_A, B))).isTrue();
        assertThat(isWorse(List.of(A), List.of(BROKEN_A, B))).isTrue();
    }

    @Test
    void deviceThatComesHealsOrMovesIsNot() {
        assertThat(isWorse(List.of(A), List.of(A, B))).isFalse();
        assertThat(isWorse(List.of(BROKEN_A), List.of(A))).isFalse();
        assertThat(isWorse(List.of(BROKEN_A, B), List.of(B))).isFalse();
        assertThat(isWorse(List.of(A), List.of(new Advertised("a", true, List.of(1)))))
                .isFalse();
    }
}
