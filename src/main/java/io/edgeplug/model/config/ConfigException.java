package io.edgeplug.model.config;

import java.util.List;

/** The configuration cannot be used. The message has a line for each mistake. */
public final class ConfigException extends Exception {

    private static final long serialVersionUID = 1;

    public ConfigException(List<String> mistakes) {
        super(String.join("\n", mistakes));
    }
}
