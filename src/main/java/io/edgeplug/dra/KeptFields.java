package io.edgeplug.dra;

import java.util.HashMap;
import java.util.Map;
import java.util.logging.Logger;

/**
 * The fields of slices that the API server keeps. An older one, or one with a feature turned off, drops fields without
 * a word, or refuses a slice because of them. One thread uses it, but any may read the fields.
 */
final class KeptFields {

    private static final Logger LOG = Logger.getLogger(KeptFields.class.getName());

    private final String driver;

    /** By index, the slices of which the server does not keep everything that was sent. */
    private final Map<Integer, Altered> altered = new HashMap<>();

    private volatile SliceFields fields = SliceFields.ALL;

    private record Altered(String sent, String kept) {}

    KeptFields(String driver) {
        this.driver = driver;
    }

    /** As far as it is known. */
    SliceFields fields() {
        return fields;
    }

    /** Whether the content that the server has of a slice is what becomes of this one. */
    boolean isSame(int index, String content, String onServer) {
        return content.equals(onServer) || new Altered(content, onServer).equals(altered.get(index));
    }

    /** The server has accepted a content, and has this one now. */
    void accepted(int index, String content, String onServer) {
        if (content.equals(onServer)) {
            altered.remove(index);
            return;
        }
        altered.put(index, new Altered(content, onServer));
        use(fields.after(content, onServer), "drops", "");
    }

    /** Whether the server refuses a content because of fields, which are left out from now on. */
    boolean areRefused(String content, Throwable refusal) {
        // API servers before 1.35 that know counters expect them in another place.
        SliceFields without = fields.afterRefusal(content);
        if (!(refusal instanceof ApiException e) || !e.isInvalid() || without.equals(fields)) {
            return false;
        }
        use(without, "refuses", ": " + e.getMessage());
        return true;
    }

    private void use(SliceFields newest, String how, String why) {
        fields.lost(newest).forEach(what -> LOG.warning(driver + ": the API server " + how + " " + what + why));
        fields = newest;
    }
}
