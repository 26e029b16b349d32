package io.edgeplug.system.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What of a list has changed. */
final class DifferenceTest {

    private static final String A = "a";
    private static final String B = "b";
    private static final String C = "c";

    @Test
    void differenceLiesBetweenWhatIsTheSame() {
        Difference<String> change = Difference.of(List.of(A, B, C), List.of(A, "x", "y", C));

        assertThat(change).isEqualTo(new Difference<>(List.of(A), List.of(B), List.of("x", "y"), List.of(C)));
        assertThat(Difference.of(List.of(A, B), List.of(A, B)).isEmpty()).isTrue();
    }

    @Test
    void noElementCountsAsBothHeadAndTail() {
        assertThat(Difference.of(List.of(A, A), List.of(A, A, A)))
                .isEqualTo(new Difference<>(List.of(A, A), List.of(), List.of(A), List.of()));
        assertThat(Difference.of(List.of(A, A, A), List.of(A)))
                .isEqualTo(new Difference<>(List.of(A), List.of(A, A), List.of(), List.of()));
    }

    @Test
    void whatIsEqualIsKeptInTheObjectsOfBefore() {
        String sameAsA = String.valueOf(A.toCharArray());

        assertThat(Difference.of(List.of(A, B), List.of(sameAsA, C)).head().getFirst())
                .isSameAs(A);
    }

    @Test
    void otherElementsInThePlaceOfThoseThatWereAddedAreAsIfComparedAnew() {
        Random random = new Random(11);
        for (int round = 0; round < 5_000; round++) {
            List<String> before = any(random);
            Difference<String> change = Difference.of(before, any(random));
            List<String> others = any(random);
            List<String> after = new ArrayList<>(change.head());
            after.addAll(others);
            after.addAll(change.tail());

            Difference<String> other = change.withAdded(others);

            assertThat(other.after()).isEqualTo(after);
            assertThat(other.isEmpty()).isEqualTo(before.equals(after));
            List<String> old = new ArrayList<>(other.head());
            old.addAll(other.removed());
            old.addAll(other.tail());
            assertThat(old).isEqualTo(before);
        }
    }

    private static List<String> any(Random random) {
        return random.ints(random.nextInt(6), 0, 3).mapToObj(String::valueOf).toList();
    }
}
