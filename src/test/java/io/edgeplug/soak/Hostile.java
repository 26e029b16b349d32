package io.edgeplug.soak;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Values that a careless reader would stumble over, drawn at random. */
final class Hostile {

    /** What begins a line of its own in a log that lets others write lines. */
    static final String PLANTED = "PLANTED-LINE";

    /** ESC, CSI, NEL, line and paragraph separator, a turn of the writing direction, an invisible sign, DEL, and a bell. */
    private static final List<String> SIGNS = List.of(
            "\u001b[2J",
            "\u009b2J",
            "\u0085" + PLANTED,
            "\u2028" + PLANTED,
            "\u2029",
            "\u202e",
            "\u200b",
            "\u007f",
            "\u0007",
            "\n" + PLANTED + "\n",
            "\r" + PLANTED);

    private static final List<String> WORDS = List.of(
            "",
            "-",
            "--",
            "-rf",
            "--help",
            "..",
            "../../../etc/shadow",
            "/",
            "//",
            "/dev/null",
            "p0",
            "p1",
            "p0::0",
            "::",
            "::999999999999",
            "0000:3b:01.2",
            "0000:3b:01.4-region0",
            "ffff:ff:1f.7",
            "99999999999999999999",
            "-1",
            "0x",
            "null",
            "{id}",
            "%s%n",
            "'; reboot; '",
            "\ud83d\ude00",
            "a\u0000b",
            "\ufeff");

    private Hostile() {}

    /** A word of the field, a control character, or a longer text of both. */
    static String text(Random random) {
        return switch (random.nextInt(10)) {
            case 0, 1, 2, 3 -> WORDS.get(random.nextInt(WORDS.size()));
            case 4, 5 -> "x" + SIGNS.get(random.nextInt(SIGNS.size())) + "y";
            case 6 -> "x".repeat(size(random, 70_000));
            case 7 -> WORDS.get(random.nextInt(WORDS.size())).repeat(1 + random.nextInt(5));
            case 8 -> String.valueOf(random.nextLong());
            default -> new String(bytes(random, random.nextInt(40)), StandardCharsets.ISO_8859_1);
        };
    }

    /** The same without what no file name can hold. */
    static String name(Random random) {
        String text = text(random).replace('/', '_').replace("\u0000", "");
        String cut = text.substring(0, Math.min(text.length(), 80));
        return cut.isEmpty() || cut.equals(".") || cut.equals("..") ? "-x" : cut;
    }

    /** As many small ones as large ones. */
    static int size(Random random, int most) {
        return (int) Math.exp(random.nextDouble() * Math.log(most));
    }

    static byte[] bytes(Random random, int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Some bytes changed, cut off, put in or repeated. */
    static byte[] spoilt(byte[] sound, Random random) {
        if (sound.length == 0) {
            return bytes(random, 1 + random.nextInt(16));
        }
        byte[] spoilt = sound.clone();
        switch (random.nextInt(4)) {
            case 0 -> spoilt = Arrays.copyOf(spoilt, random.nextInt(spoilt.length));
            case 1 -> spoilt = Arrays.copyOf(spoilt, spoilt.length + random.nextInt(64));
            default -> {
                for (int i = random.nextInt(1, 8); i > 0; i--) {
                    spoilt[random.nextInt(spoilt.length)] = (byte) random.nextInt();
                }
            }
        }
        return spoilt;
    }

    /** Tokens of a language in a random order, some of them hostile. */
    static String babble(List<String> tokens, Random random, int most) {
        StringBuilder text = new StringBuilder();
        for (int i = 1 + random.nextInt(most); i > 0; i--) {
            text.append(random.nextInt(12) == 0 ? text(random) : tokens.get(random.nextInt(tokens.size())));
        }
        return text.toString();
    }
}
