package io.edgeplug.node.container;

import io.edgeplug.node.container.Allocation.Mount;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files by which containers learn which devices they have (KEP-5304 of Kubernetes), one for each request of a claim.
 * Each is mounted into the containers of its claim. Thread-safe.
 */
public final class ClaimMetadata {

    /** The directory in a container in which its programs look for them. */
    private static final String IN_CONTAINER = "/var/run/kubernetes.io/dra-device-attributes/";

    private static final String SUFFIX = ".json";

    private final Path directory;
    private final KeptFiles files;

    /** By the UID of a claim, the names of its files. */
    private final Map<String, Set<String>> names = new HashMap<>();

    public ClaimMetadata(Path directory) {
        this.directory = directory.toAbsolutePath();
        this.files = new KeptFiles(this.directory, name -> name.endsWith(SUFFIX));
    }

    /**
     * The mount of the file of one request.
     *
     * @param uid of the claim
     * @param claim its name
     * @param podClaim the name that its pod has for it, if it was made from a template
     */
    public Mount mount(String uid, String claim, @Nullable String podClaim, String request, String driver) {
        String owner = podClaim == null ? "resourceclaims/" + claim : "resourceclaimtemplates/" + podClaim;
        return new Mount(
                directory.resolve(file(uid, request)).toString(),
                IN_CONTAINER + owner + "/" + request + "/" + driver + "-metadata.json",
                true);
    }

    /**
     * Makes these the files that exist, and removes others of an earlier run.
     *
     * @param contents by the UID of the claim and then by request
     * @return a line for each that could not be written
     */
    public synchronized List<String> keep(Map<String, Map<String, String>> contents) {
        Map<String, byte[]> wanted = new HashMap<>();
        names.clear();
        contents.forEach((uid, byRequest) -> wanted.putAll(files(uid, byRequest)));
        return List.copyOf(files.keep(wanted).values());
    }

    /** Writes the files of a claim, unless they are already right. Returns the reason if that fails. */
    public synchronized Optional<String> write(String uid, Map<String, String> byRequest) {
        return files.update(files(uid, byRequest), List.of()).values().stream().findFirst();
    }

    /** Removes the files of a claim. */
    public synchronized void remove(String uid) {
        Set<String> unwanted = Optional.ofNullable(names.remove(uid)).orElse(Set.of());
        Map<String, String> ignored = files.update(Map.of(), unwanted);
    }

    private Map<String, byte[]> files(String uid, Map<String, String> byRequest) {
        Map<String, byte[]> contents = new HashMap<>();
        byRequest.forEach((request, text) -> contents.put(file(uid, request), text.getBytes(StandardCharsets.UTF_8)));
        names.put(uid, Set.copyOf(contents.keySet()));
        return contents;
    }

    /** Neither a UID nor a request has an underscore. */
    private static String file(String uid, String request) {
        return uid + "_" + request + SUFFIX;
    }
}
