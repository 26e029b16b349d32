package io.edgeplug.system.flow;

import java.util.Locale;

/** A constant whose name people and programs read: in the configuration, in metrics, in JSON and in the log. */
public interface Worded {

    String name();

    /** Its name in lower case, such as {@code pf_names}. */
    default String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
