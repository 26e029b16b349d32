package io.edgeplug.model.rules;

import java.util.BitSet;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A PF and the numbers of its VFs or sub-functions, such as {@code ens1f0#0,2-7}.
 *
 * @param numbers empty for all of them and the PF itself
 */
public record VfRange(String pf, Optional<BitSet> numbers) {

    private static final Pattern ITEM = Pattern.compile("(\\d{1,5})(?:-(\\d{1,5}))?");

    /**
     * Reads a range.
     *
     * @throws IllegalArgumentException if it has a wrong form
     */
    static VfRange parse(String text) {
        String pf = pf(text);
        if (pf.isEmpty()) {
            throw new IllegalArgumentException("names no PF");
        }
        boolean isWhole = pf.length() == text.length();
        return new VfRange(pf, isWhole ? Optional.empty() : Optional.of(numbers(text.substring(pf.length() + 1))));
    }

    /** The PF in a text of the right form, such as {@code ens1f0} in {@code ens1f0#0-3}. */
    public static String pf(String text) {
        int hash = text.indexOf('#');
        return hash < 0 ? text : text.substring(0, hash);
    }

    /** The numbers in it; none if it has no numbers. */
    public static BitSet numbersOf(String text) {
        return parse(text).numbers().orElseGet(BitSet::new);
    }

    /** Matches a PF as {@code ens1f0}, and a VF of it as {@code ens1f0#3}. */
    Predicate<String> with(Predicate<String> isPf) {
        return found -> {
            int hash = found.lastIndexOf('#');
            return hash < 0
                    ? numbers.isEmpty() && isPf.test(found)
                    : isPf.test(found.substring(0, hash))
                            && numbers.map(set -> set.get(Integer.parseInt(found.substring(hash + 1))))
                                    .orElse(true);
        };
    }

    private static BitSet numbers(String list) {
        BitSet set = new BitSet();
        for (String item : list.split(",", -1)) {
            Matcher matcher = ITEM.matcher(item);
            if (!matcher.matches()) {
                throw new IllegalArgumentException("needs VF numbers after #, as 0,2-7");
            }
            int from = Integer.parseInt(matcher.group(1));
            int to = matcher.group(2) == null ? from : Integer.parseInt(matcher.group(2));
            if (to < from) {
                throw new IllegalArgumentException("has a range that ends before it begins: " + item);
            }
            set.set(from, to + 1);
        }
        return set;
    }
}
