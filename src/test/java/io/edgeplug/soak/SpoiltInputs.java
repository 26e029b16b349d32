package io.edgeplug.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Gives a parser many spoilt inputs in this process. It must read or refuse each, and some of both. */
public final class SpoiltInputs {

    private static final int CHANGES = 6;
    private static final int MOST_REPLACED = 20;
    private static final boolean IS_SOAK = System.getProperty("soak") != null;

    /** What is put in the place of a part. */
    private static final List<String> PARTS = List.of(
            "null",
            "[]",
            "{}",
            "\"\"",
            "-1",
            "1e400",
            "true",
            "[[",
            "\"\\ud800\"",
            "{\"a\":",
            "999999999999999999999",
            "\u0000");

    private final Random random = new Random(Long.getLong("seed", 1));

    /** Reads an input; anything but an IOException is a bug. */
    public interface Parser {
        void read(byte[] input) throws IOException;
    }

    /** Tries that many inputs, or fifty times that with {@code -Dsoak}. */
    public void spoil(byte[] sound, int inputs, Parser parser) throws IOException {
        parser.read(sound);
        int all = IS_SOAK ? 50 * inputs : inputs;
        int refused = 0;
        for (int i = 0; i < all; i++) {
            byte[] input = spoilt(sound);
            try {
                parser.read(input);
            } catch (IOException e) {
                refused++;
            } catch (RuntimeException | StackOverflowError e) {
                throw new AssertionError("a bug for " + new String(input, StandardCharsets.ISO_8859_1), e);
            }
        }
        assertThat(refused).isBetween(1, all - 1);
    }

    private byte[] spoilt(byte[] sound) {
        byte[] spoilt = sound;
        for (int i = random.nextInt(CHANGES); i >= 0; i--) {
            spoilt = random.nextBoolean() ? Hostile.spoilt(spoilt, random) : replaced(spoilt);
        }
        return spoilt;
    }

    private byte[] replaced(byte[] text) {
        byte[] part = PARTS.get(random.nextInt(PARTS.size())).getBytes(StandardCharsets.UTF_8);
        int from = random.nextInt(text.length + 1);
        int to = Math.min(text.length, from + random.nextInt(MOST_REPLACED));
        byte[] replaced = Arrays.copyOf(text, from + part.length + text.length - to);
        System.arraycopy(part, 0, replaced, from, part.length);
        System.arraycopy(text, to, replaced, from + part.length, text.length - to);
        return replaced;
    }
}
