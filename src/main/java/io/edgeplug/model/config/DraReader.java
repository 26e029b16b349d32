package io.edgeplug.model.config;

import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads {@code [dra]}. */
final class DraReader {

    private static final int MAX_DRIVER = 63;
    private static final int MAX_NODE = 253;

    /** The name is also part of a CDI vendor, which begins with a letter. */
    private static final Pattern DRIVER =
            Pattern.compile("[a-z]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    private static final Pattern NODE =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    private DraReader() {}

    static Config.Dra read(Table main) {
        Optional<Table> dra = main.table("dra");
        Optional<String> driver = dra.flatMap(table -> name(
                table,
                "driver",
                DRIVER,
                MAX_DRIVER,
                "is not the name of a driver, such as \"edgeplug.io\" or \"vfs.example.com\""));
        Optional<String> node = dra.flatMap(
                table -> name(table, "node_name", NODE, MAX_NODE, "is not the name of a node, such as \"edge-1\""));
        Optional<Path> kubeconfig = dra.flatMap(table -> ConfigFiles.absolute(table, "kubeconfig"));
        return new Config.Dra(driver.orElse(Config.Dra.DEFAULTS.driver()), node, kubeconfig);
    }

    private static Optional<String> name(Table table, String key, Pattern form, int longest, String otherwise) {
        return table.string(key).filter(text -> {
            boolean isFit = form.matcher(text).matches() && text.length() <= longest;
            if (!isFit) {
                table.mistake(key, "\"" + text + "\" " + otherwise + ", of at most " + longest + " characters");
            }
            return isFit;
        });
    }
}
