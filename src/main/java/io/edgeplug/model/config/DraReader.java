package io.edgeplug.model.config;

import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads {@code [dra]}. */
final class DraReader {

    /** The name is also part of a CDI vendor, which begins with a letter. */
    private static final Pattern DRIVER =
            Pattern.compile("(?=.{1,63}$)[a-z]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    private static final Pattern NODE =
            Pattern.compile("(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    private DraReader() {}

    static Config.Dra read(Table main) {
        Optional<Table> dra = main.table("dra");
        Optional<String> driver = dra.flatMap(table -> name(
                table,
                "driver",
                DRIVER,
                "a driver, such as \"edgeplug.io\" or \"vfs.example.com\", of at most 63 characters"));
        Optional<String> node = dra.flatMap(
                table -> name(table, "node_name", NODE, "a node, such as \"edge-1\", of at most 253 characters"));
        Optional<Path> kubeconfig = dra.flatMap(table -> ConfigFiles.absolute(table, "kubeconfig"));
        return new Config.Dra(driver.orElse(Config.Dra.DEFAULTS.driver()), node, kubeconfig);
    }

    private static Optional<String> name(Table table, String key, Pattern form, String of) {
        return table.string(key).flatMap(text -> Words.matching(table, key, text, form, "the name of " + of));
    }
}
