package io.edgeplug.node.pods;

import io.edgeplug.system.files.ForeignFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Scanner;
import java.util.Set;
import java.util.logging.Logger;
import java.util.regex.Pattern;

/**
 * The claims that a kubelet notes. It notes a claim before it asks a driver to prepare it, and forgets it once the driver
 * has released it; see prepareResources in pkg/kubelet/cm/dra/manager.go in Kubernetes. So it never asks for the release
 * of a claim that it does not note. Thread-safe.
 */
public final class KubeletClaims {

    private static final Logger LOG = Logger.getLogger(KubeletClaims.class.getName());

    /** A node has some hundred claims, each with a few names. */
    private static final int MAX_BYTES = 4 << 20;

    private static final Pattern BETWEEN_UIDS = Pattern.compile("[^0-9A-Za-z-]+");

    private final Path file;
    private final PodCgroups cgroups;

    /**
     * Those of one kubelet.
     *
     * @param root its root directory
     * @param mounted where cgroups are mounted
     */
    public KubeletClaims(Path root, Path mounted) {
        this.file = root.resolve(HeldDevices.CLAIMS);
        this.cgroups = new PodCgroups(mounted);
    }

    /**
     * Whether processes of a pod of a claim may run, among the pods that were known when it was prepared. If none was
     * known, or the kubelet makes no cgroups of pods, nothing says that none runs.
     */
    public boolean mayRun(PreparedClaim claim) {
        return !cgroups.exist()
                || claim.pods().isEmpty()
                || claim.pods().stream().anyMatch(pod -> cgroups.has(pod.uid()));
    }

    /**
     * Refuses to take from a claim what was prepared for it, while pods may run that got it.
     *
     * @param next the pods for which it was allocated anew
     * @throws IOException if one may run; the message is a clause
     */
    public void refuseIfRunning(PreparedClaim claim, List<PreparedClaim.Pod> next) throws IOException {
        for (PreparedClaim.Pod pod : claim.pods()) {
            if (next.stream().noneMatch(one -> one.uid().equals(pod.uid())) && cgroups.has(pod.uid())) {
                throw new IOException("it was allocated anew, and its last pod " + pod.name() + " has not ended yet");
            }
        }
    }

    /**
     * Those of some claims, by their UIDs, that the kubelet does not note. None if its file cannot be read: a kubelet makes
     * it when it starts. The form of the file differs between versions, but a UID stands in none by chance.
     */
    public Set<String> lost(Set<String> uids) {
        if (uids.isEmpty()) {
            return Set.of();
        }
        try (Scanner words =
                new Scanner(ForeignFile.open(file, MAX_BYTES), StandardCharsets.UTF_8).useDelimiter(BETWEEN_UIDS)) {
            boolean isBlank = !words.hasNext();
            Set<String> lost = new HashSet<>(uids);
            words.tokens().forEach(lost::remove);
            IOException failure = words.ioException();
            if (failure != null) {
                throw failure;
            }
            return isBlank ? Set.of() : lost;
        } catch (IOException e) {
            LOG.fine(() -> file + ": " + e.getMessage());
            return Set.of();
        }
    }
}
