package io.edgeplug.node.container;

import io.edgeplug.model.device.PodInterface;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The CDI specifications of claims, a file for each; thread-safe.
 *
 * <p>A device's name there contains the UID of its claim, because container runtimes remember what they have read for a
 * name.
 */
public final class ClaimSpecs {

    private static final String PREFIX = "edgeplug-claim_";
    private static final String SUFFIX = ".json";

    private final KeptFiles files;

    public ClaimSpecs(Path directory) {
        this.files = new KeptFiles(directory, name -> name.startsWith(PREFIX) && name.endsWith(SUFFIX));
    }

    /**
     * Makes these the files that exist, and removes others of an earlier run.
     *
     * @param specifications by the UID of the claim
     * @return a line for each that could not be written
     */
    public synchronized List<String> keep(Map<String, String> specifications) {
        Map<String, byte[]> contents = new HashMap<>();
        specifications.forEach((uid, text) -> contents.put(file(uid), bytes(text)));
        return List.copyOf(files.keep(contents).values());
    }

    /** Writes the file of a claim, unless it is already right. Returns the reason if that fails. */
    public synchronized Optional<String> write(String uid, String specification) {
        return files.update(Map.of(file(uid), bytes(specification)), List.of()).values().stream()
                .findFirst();
    }

    /** Removes the file of a claim. */
    public synchronized void remove(String uid) {
        Map<String, String> ignored = files.update(Map.of(), List.of(file(uid)));
    }

    /**
     * The content of a claim's file.
     *
     * @param kind {@code vendor/class}
     * @param devices the allocations, by the device's name there
     */
    public static String content(String kind, Map<String, Allocation> devices) {
        return CdiSpecs.content(kind, devices);
    }

    /**
     * A claim's file with the network interfaces as they are now.
     *
     * @param interfaces by the name of the CDI device, and then by the device of the node
     */
    public static String withInterfaces(String specification, Map<String, Map<String, PodInterface>> interfaces) {
        return interfaces.isEmpty() ? specification : CdiSpecs.withInterfaces(specification, interfaces);
    }

    private static String file(String uid) {
        return PREFIX + uid + SUFFIX;
    }

    private static byte[] bytes(String text) {
        return (text + "\n").getBytes(StandardCharsets.UTF_8);
    }
}
