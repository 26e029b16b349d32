package io.edgeplug.cli;

import io.edgeplug.device.ResourceName;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** How many devices of which resource, as a person writes it: {@code RESOURCE=N}. */
final class Limits {

    private Limits() {}

    /** Throws IllegalArgumentException with a text for whoever wrote it. */
    static SortedMap<ResourceName, Integer> parse(List<String> texts) {
        SortedMap<ResourceName, Integer> limits = new TreeMap<>();
        for (String text : texts) {
            int equals = text.lastIndexOf('=');
            String count = text.substring(equals + 1);
            if (equals < 0 || !count.matches("[1-9]\\d{0,4}")) {
                throw new IllegalArgumentException("\"" + text + "\" is not RESOURCE=N");
            }
            try {
                limits.put(ResourceName.parse(text.substring(0, equals)), Integer.valueOf(count));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("\"" + text + "\": " + e.getMessage(), e);
            }
        }
        return limits;
    }
}
