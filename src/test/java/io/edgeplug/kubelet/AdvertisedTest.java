package io.edgeplug.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class AdvertisedTest {

    private static final Advertised A = new Advertised("a", true, List.of());
    private static final Advertised B = new Advertised("b", true, List.of(0));
    private static final Advertised BROKEN_A = new Advertised("a", false, List.of());

    @Test
    void deviceThatGoesOrBreaksIsBadNews() {
        assertThat(Advertised.isWorse(List.of(A, B), List.of(B))).isTrue();
        assertThat(Advertised.isWorse(List.of(A, B), List.of(BROKEN_A, B))).isTrue();
        assertThat(Advertised.isWorse(List.of(A), List.of(BROKEN_A, B))).isTrue();
    }

    @Test
    void deviceThatComesHealsOrMovesIsNot() {
        assertThat(Advertised.isWorse(List.of(A), List.of(A, B))).isFalse();
        assertThat(Advertised.isWorse(List.of(BROKEN_A), List.of(A))).isFalse();
        assertThat(Advertised.isWorse(List.of(BROKEN_A, B), List.of(B))).isFalse();
        assertThat(Advertised.isWorse(List.of(A), List.of(new Advertised("a", true, List.of(1)))))
                .isFalse();
    }
}
