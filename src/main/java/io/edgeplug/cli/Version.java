package io.edgeplug.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.Properties;

/** The version that this was built as. */
final class Version {

    private Version() {}

    /** As {@code edgeplug 0.1.0}. */
    static String text() throws IOException {
        Properties properties = new Properties();
        try (InputStream in = Objects.requireNonNull(Version.class.getResourceAsStream("version.properties"))) {
            properties.load(in);
        }
        return "edgeplug " + properties.getProperty("version");
    }
}
