package io.edgeplug.system.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which names a pattern names, and at what cost. */
final class NameGlobTest {

    private static boolean matches(String pattern, String name) {
        return new NameGlob(pattern).matches(name);
    }

    @Test
    void wildcardsStandForAnythingButALeadingDot() {
        assertThat(matches("video*", "video10")).isTrue();
        assertThat(matches("video?", "video10")).isFalse();
        assertThat(matches("*-*-port", "a-b-c-port")).isTrue();
        assertThat(matches("*-*-port", "a-port")).isFalse();
        assertThat(matches("*", ".hidden")).isFalse();
        assertThat(matches("?hidden", ".hidden")).isFalse();
        assertThat(matches(".*", ".hidden")).isTrue();
        assertThat(matches("a?", "a\ud83d\ude00")).isTrue();
        assertThat(matches("a*b", "a\n*b")).isTrue();
        assertThat(matches("a.b", "acb")).isFalse();
    }

    @Test
    @Timeout(60)
    void nameThatNearlyMatchesManyTimesCostsLittle() {
        assertThat(matches("*-*-*-*-*-*-*-*-port", "-".repeat(255))).isFalse();
        String middle = "-".repeat(120) + "x" + "-".repeat(120);
        assertThat(PathGlob.parse("/dev/*-*-*-*-*-*-*x*").matched("/dev/" + middle))
                .isEqualTo(List.of("-".repeat(114), "", "", "", "", "", "", "-".repeat(120)));
    }
}
