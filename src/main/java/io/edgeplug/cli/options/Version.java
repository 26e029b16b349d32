package io.edgeplug.cli.options;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;

public final class Version {

    private Version() {}

    /** Such as {@code edgeplug 0.2.0}. */
    public static String text() {
        Properties properties = new Properties();
        try (InputStream in = Objects.requireNonNull(Version.class.getResourceAsStream("version.properties"))) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException("the jar cannot be read", e);
        }
        return "edgeplug " + properties.getProperty("version");
    }
}
