package io.edgeplug.soak;

import java.util.regex.Pattern;

/** Whether a text that leaves the daemon can be shown on a terminal as it is. */
final class Cleanliness {

    private static final Pattern UNCLEAN = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

    private Cleanliness() {}

    static boolean isUnclean(String text) {
        return UNCLEAN.matcher(text).find();
    }

    /** The same text as it can be shown. */
    static String visible(String text) {
        StringBuilder visible = new StringBuilder();
        text.chars()
                .limit(200)
                .forEach(c -> visible.append(c < ' ' || c >= 0x7f ? "\\u%04x".formatted(c) : String.valueOf((char) c)));
        return visible.toString();
    }
}
