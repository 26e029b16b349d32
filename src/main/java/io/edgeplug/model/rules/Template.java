package io.edgeplug.model.rules;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Kind;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A text of a class with words in braces, which are filled in for each device: {@code /dev/shm/{id}}. A doubled brace
 * stands for itself.
 *
 * @param words those that occur in the text
 */
public record Template(String text, Set<TemplateWord> words) {

    private static final Pattern PART = Pattern.compile("\\{\\{|}}|\\{(\\w*)}|[{}]");

    public Template {
        words = Set.copyOf(words);
    }

    /**
     * Reads a text for devices of a kind, or of any kind if it is null.
     *
     * @param others words that the text may have besides those that such devices have
     * @throws IllegalArgumentException if the text has a word that such devices do not have, or a single brace; the
     *     message says which
     */
    public static Template parse(String text, @Nullable Kind kind, TemplateWord... others) {
        List<TemplateWord> allowed = Stream.of(TemplateWord.values())
                .filter(word -> Arrays.asList(others).contains(word)
                        || Stream.of(Kind.values())
                                .anyMatch(one -> (kind == null || one == kind) && word.concerns(one)))
                .toList();
        EnumSet<TemplateWord> words = EnumSet.noneOf(TemplateWord.class);
        for (MatchResult part : PART.matcher(text).results().toList()) {
            if (part.group(1) != null) {
                words.add(TemplateWord.parse(part.group(1))
                        .filter(allowed::contains)
                        .orElseThrow(() -> unknown(part.group(), allowed)));
            } else if (part.group().length() == 1) {
                throw new IllegalArgumentException("has a brace that stands alone; doubled, it means itself");
            }
        }
        return new Template(text, words);
    }

    private static IllegalArgumentException unknown(String braces, List<TemplateWord> allowed) {
        return new IllegalArgumentException(braces + " is none of "
                + allowed.stream().map(word -> "{" + word.word() + "}").collect(Collectors.joining(", ")));
    }

    /** Whether the text is the same for every device. */
    public boolean isConstant() {
        return words.isEmpty();
    }

    /** The first word, in the order of the constants, for which the device has no value. */
    public Optional<TemplateWord> missing(Device device) {
        return words.stream().sorted().filter(word -> word.of(device).isEmpty()).findFirst();
    }

    /** The text with the device's values. A word without a value stays as it is. */
    public String fill(Device device) {
        return filled(word -> word.of(device).orElse("{" + word.word() + "}"));
    }

    /**
     * The text for a device; empty if the device lacks one of the values.
     *
     * @param others the values of words that devices do not have
     */
    public Optional<String> fill(Device device, Map<TemplateWord, String> others) {
        Function<TemplateWord, Optional<String>> value =
                word -> Optional.ofNullable(others.get(word)).or(() -> word.of(device));
        return words.stream().allMatch(word -> value.apply(word).isPresent())
                ? Optional.of(filled(word -> value.apply(word).orElseThrow()))
                : Optional.empty();
    }

    private String filled(Function<TemplateWord, String> value) {
        return PART.matcher(text)
                .replaceAll(part -> Matcher.quoteReplacement(Optional.ofNullable(part.group(1))
                        .flatMap(TemplateWord::parse)
                        .map(value)
                        .orElse(part.group().substring(1))));
    }

    @Override
    public String toString() {
        return text;
    }
}
