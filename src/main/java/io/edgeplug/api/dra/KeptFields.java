package io.edgeplug.api.dra;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.logging.Logger;

/**
 * The fields of slices that the API server keeps. An older one, or one with a feature turned off, drops fields without
 * a word, or refuses a slice because of them. One thread uses it, but any may read the fields.
 */
final class KeptFields {

    private static final Logger LOG = Logger.getLogger(KeptFields.class.getName());

    /** API servers before 1.35 that know counters expect them in another place. */
    private static final Set<SliceField> REFUSED = Set.of(SliceField.COUNTERS, SliceField.CAPACITY);

    private final String driver;

    /** By index, the slices of which the server does not keep everything that was sent. */
    private final Map<Integer, Altered> altered = new HashMap<>();

    /** Servers are taken to keep all of them until they drop one. */
    private volatile Set<SliceField> fields = Set.of(SliceField.values());

    private record Altered(String sent, String kept) {}

    KeptFields(String driver) {
        this.driver = driver;
    }

    /** As far as it is known; from any thread. */
    Set<SliceField> fields() {
        return fields;
    }

    /** Whether the content that the server has of a slice is what becomes of this one. */
    boolean isSame(int index, String content, String onServer) {
        return content.equals(onServer) || new Altered(content, onServer).equals(altered.get(index));
    }

    void accepted(int index, String content, String onServer) {
        if (content.equals(onServer)) {
            altered.remove(index);
            return;
        }
        altered.put(index, new Altered(content, onServer));
        boolean ignored = lose(field -> field.isIn(content) && !field.isIn(onServer), "drops", "");
    }

    /** Whether the server refuses a content because of fields, which are left out from now on. */
    boolean areRefused(String content, Throwable refusal) {
        return refusal instanceof ApiException e
                && e.isInvalid()
                && lose(field -> REFUSED.contains(field) && field.isIn(content), "refuses", ": " + e.getMessage());
    }

    /** Whether the server turns out not to keep a field that was taken to be kept. */
    private boolean lose(Predicate<SliceField> isLost, String how, String why) {
        Set<SliceField> kept = EnumSet.noneOf(SliceField.class);
        for (SliceField field : SliceField.values()) {
            if (fields.contains(field) && isLost.test(field)) {
                LOG.warning(driver + ": the API server " + how + " " + field.loss() + why);
            } else if (fields.contains(field)) {
                kept.add(field);
            }
        }
        boolean isLess = kept.size() < fields.size();
        fields = Set.copyOf(kept);
        return isLess;
    }
}
