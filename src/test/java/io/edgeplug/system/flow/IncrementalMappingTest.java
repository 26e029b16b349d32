package io.edgeplug.system.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is made of a list where it has changed, and of nothing else. */
final class IncrementalMappingTest {

    private static final String A = "a";
    private static final String B = "b";
    private static final String C = "c";

    @Test
    void onlyWhatHasChangedIsMadeAgain() {
        List<String> made = new ArrayList<>();
        IncrementalMapping<String, String> mapping = new IncrementalMapping<>();
        List<String> ignored = mapping.map(List.of(A, B, C), one -> note(one, made));
        made.clear();

        assertThat(mapping.map(List.of(B, "x", C), one -> note(one, made))).containsExactly("B", "X", "C");
        assertThat(made).containsExactly("x");

        mapping.forget();
        assertThat(mapping.map(List.of(B, "x", C), one -> note(one, made))).containsExactly("B", "X", "C");
        assertThat(made).containsExactly("x", B, "x", C);
    }

    @Test
    void whatComesOutEqualWhenAllIsMadeAnewIsTheSameObject() {
        IncrementalMapping<String, String> mapping = new IncrementalMapping<>();
        List<String> before = mapping.map(List.of(B, C), one -> one.concat("1"));

        mapping.forget();
        List<String> after = mapping.map(List.of(B, C), one -> one.concat(one.equals(B) ? "1" : "2"));

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
        IncrementalMapping<String, String> mapping = new IncrementalMapping<>();
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

            assertThat(mapping.map(newest, one -> one + "!"))
                    .isEqualTo(newest.stream().map(one -> one + "!").toList());
        }
    }
}
