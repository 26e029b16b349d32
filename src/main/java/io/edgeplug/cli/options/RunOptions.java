package io.edgeplug.cli.options;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The options of the daemon.
 *
 * @param kubeletDir instead of the configured one
 * @param sysroot the directory of {@code sys}
 */
public record RunOptions(Path config, Optional<Path> kubeletDir, Path sysroot) {

    public static final String CONFIG = "--config";
    public static final String KUBELET_DIR = "--kubelet-dir";
    public static final String SYSROOT = "--sysroot";
    public static final String DEFAULT_CONFIG = "/etc/edgeplug/edgeplug.toml";
    public static final String DEFAULT_SYSROOT = "/";

    private static final Set<String> NAMES = Set.of(CONFIG, KUBELET_DIR, SYSROOT);

    /** Reads {@code run} and its options in their plain forms. Other forms are left to the option parser. */
    public static Optional<RunOptions> parse(List<String> args) {
        if (args.isEmpty() || !args.getFirst().equals("run")) {
            return Optional.empty();
        }
        Map<String, String> options = new HashMap<>();
        int i = 1;
        while (i < args.size()) {
            String[] parts = args.get(i).split("=", 2);
            boolean hasValue = parts.length == 2 || i + 1 < args.size();
            if (!NAMES.contains(parts[0]) || !hasValue || options.containsKey(parts[0])) {
                return Optional.empty();
            }
            String value = parts.length == 2 ? parts[1] : args.get(i + 1);
            if (value.isEmpty() || value.startsWith("--")) {
                return Optional.empty();
            }
            options.put(parts[0], value);
            i += parts.length == 2 ? 1 : 2;
        }
        return Optional.of(new RunOptions(
                Path.of(options.getOrDefault(CONFIG, DEFAULT_CONFIG)),
                Optional.ofNullable(options.get(KUBELET_DIR)).map(Path::of),
                Path.of(options.getOrDefault(SYSROOT, DEFAULT_SYSROOT))));
    }
}
