package io.edgeplug.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What of a list has changed, and what is made of that alone. */
final class RemadeTest {

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
    void onlyWhatHasChangedIsMadeAgain() {
        List<String> made = new ArrayList<>();
        Remade<String, String> remade = new Remade<>();
        List<String> ignored = remade.of(List.of(A, B, C), one -> note(one, made));
        made.clear();

        assertThat(remade.of(List.of(B, "x", C), one -> note(one, made))).containsExactly("B", "X", "C");
        assertThat(made).containsExactly("x");

        remade.forget();
        assertThat(remade.of(List.of(B, "x", C), one -> note(one, made))).containsExactly("B", "X", "C");
        assertThat(made).containsExactly("x", B, "x", C);
    }

    @Test
    void whatComesOutEqualWhenAllIsMadeAnewIsTheSameObject() {
        Remade<String, String> remade = new Remade<>();
        List<String> before = remade.of(List.of(B, C), one -> one.concat("1"));

        remade.forget();
        List<String> after = remade.of(List.of(B, C), one -> one.concat(one.equals(B) ? "1" : "2"));

        assertThat(after).containsExactly("b1", "c2");
        assertThat(after.getFirst()).isSameAs(before.getFirst());
    }

    private static String note(String one, List<String> made) {
        made.add(one);
        return one.toUpperCase(Locale.ROOT);
    }

    @Test
    void whateverHappensItIsWhatWouldBeMadeOfAll() {
        Random random = new Random(5);
        Remade<String, String> remade = new Remade<>();
        List<String> list = new ArrayList<>();
        for (int round = 0; round < 5_000; round++) {
            for (int change = random.nextInt(4); change > 0; change--) {
                if (list.isEmpty() || random.nextInt(20) < 11) {
                    list.add(random.nextInt(list.size() + 1), String.valueOf(random.nextInt(40)));
                } else {
                    list.remove(random.nextInt(list.size()));
                }
            }
            List<String> newest = List.copyOf(list);

            assertThat(remade.of(newest, one -> one + "!"))
                    .isEqualTo(newest.stream().map(one -> one + "!").toList());
        }
    }
}
