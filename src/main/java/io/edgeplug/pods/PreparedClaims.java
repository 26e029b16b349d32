package io.edgeplug.pods;

import io.edgeplug.device.Shares;
import io.edgeplug.pods.HeldDevices.Holding;
import io.edgeplug.pods.PodNames.Holder;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The claims that this node has prepared, each noted in a file of its own. The notes are needed because the kubelet
 * only names a claim when it releases it, and because claims are not in the device plugin's checkpoint. Devices of a
 * claim are held until its release, also over restarts and reboots. Thread-safe.
 */
public final class PreparedClaims {

    /** The directory of the notes. It survives a reboot, like the kubelet's own notes. */
    private static final String DIRECTORY = "var/lib/edgeplug/claims";

    /** Identifies this boot of the node, because the service cannot see the kernel's own boot ID. */
    private static final String BOOT = "run/edgeplug/boot";

    private static final String SUFFIX = ".json";

    /** A node runs a few hundred pods at most. */
    private static final int MAX_CLAIMS = 4096;

    private static final Pattern UID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9-]{0,62}");

    private final Optional<Path> directory;
    private final Map<String, PreparedClaim> claims = new ConcurrentHashMap<>();

    /** By the UID of a claim, why its note cannot be read: it is not known which devices that claim has. */
    private final Map<String, String> unread = new ConcurrentHashMap<>();

    private PreparedClaims(Optional<Path> directory) {
        this.directory = directory;
    }

    /** The directory of the notes on the node with that root directory. */
    public static Path directory(Path root) {
        return root.resolve(DIRECTORY);
    }

    /** The file that identifies this boot of a node. It does not survive the boot. */
    public static Path boot(Path root) {
        return root.resolve(BOOT);
    }

    /**
     * The claim that has a device of a node, whether it is completely prepared or not.
     *
     * @param root the node's root directory
     * @param id whether an ID belongs to the device
     * @throws IOException if the notes cannot be read, or one of them that may have the device
     */
    public static Optional<PreparedClaim> having(Path root, Predicate<String> id) throws IOException {
        if (!Files.isDirectory(directory(root))) {
            return Optional.empty();
        }
        String now = Files.exists(boot(root)) ? Files.readString(boot(root)).strip() : "";
        PreparedClaims all = read(directory(root));
        Optional<PreparedClaim> having = all.all().stream()
                .filter(claim -> claim.boot().filter(one -> !one.equals(now)).isEmpty())
                .filter(claim -> holdings(claim).map(Holding::id).anyMatch(id))
                .findFirst();
        if (having.isEmpty()) {
            all.refuseIfUnread();
        }
        return having;
    }

    /** For a node that prepares no claims. */
    public static PreparedClaims none() {
        return new PreparedClaims(Optional.empty());
    }

    /**
     * Reads the notes there; none if there is no such directory.
     *
     * @throws IOException if the directory cannot be read: then the holders are not known
     */
    public static PreparedClaims read(Path directory) throws IOException {
        PreparedClaims all = new PreparedClaims(Optional.of(directory));
        if (!Files.isDirectory(directory)) {
            return all;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
            for (Path file : files) {
                all.add(file);
            }
        } catch (DirectoryIteratorException e) {
            throw new IOException(directory + ": cannot be listed: " + e.getMessage(), e);
        }
        return all;
    }

    private void add(Path file) {
        String uid = String.valueOf(file.getFileName()).replaceFirst("\\.json$", "");
        try {
            claims.put(uid, ClaimNote.read(file, uid));
        } catch (IOException e) {
            unread.put(
                    uid,
                    e.getMessage() + ", so it is not known which devices claim " + uid
                            + " has, and no other claim gets any; delete the pods that use it, or drain the node and"
                            + " delete the file");
        }
    }

    /** A line for each note that cannot be read. The devices in it are not known. */
    public List<String> unread() {
        // An administrator may have deleted a file.
        unread.keySet()
                .removeIf(uid -> directory
                        .filter(one -> Files.exists(one.resolve(uid + SUFFIX)))
                        .isEmpty());
        return List.copyOf(unread.values());
    }

    /** Whether it is not known which devices a claim has, because its note cannot be read. */
    public boolean isUnread(String uid) {
        return !unread().isEmpty() && unread.containsKey(uid);
    }

    /**
     * Checks that the devices of all claims are known.
     *
     * @throws IOException if a note cannot be read; the message says what to do
     */
    public void refuseIfUnread() throws IOException {
        Optional<String> first = unread().stream().findFirst();
        if (first.isPresent()) {
            throw new IOException(first.orElseThrow());
        }
    }

    /** Whether a text can be the UID of a claim, which becomes a file's name. */
    public static boolean isUid(String text) {
        return UID.matcher(text).matches();
    }

    public Optional<PreparedClaim> of(String uid) {
        return Optional.ofNullable(claims.get(uid));
    }

    public List<PreparedClaim> all() {
        return List.copyOf(claims.values());
    }

    /** Another claim that has one of the devices of this one, the same share of it, or a share where this one has all. */
    private Optional<PreparedClaim> rival(PreparedClaim claim) {
        Set<String> wanted = holdings(claim).map(Holding::id).collect(Collectors.toSet());
        Set<String> devices = wanted.stream().map(Shares::whole).collect(Collectors.toSet());
        return claims.values().stream()
                .filter(other -> !other.uid().equals(claim.uid()))
                .filter(other -> holdings(other)
                        .map(Holding::id)
                        .anyMatch(
                                id -> wanted.contains(id) || wanted.contains(Shares.whole(id)) || devices.contains(id)))
                .findFirst();
    }

    /**
     * Notes a claim or a change of it. It is on the disk when this returns.
     *
     * @throws IOException if it cannot be noted, or another claim has one of its devices, or may have
     */
    public synchronized void note(PreparedClaim claim) throws IOException {
        if (!claims.containsKey(claim.uid())) {
            refuseIfUnread();
        }
        Optional<PreparedClaim> rival = rival(claim);
        if (rival.isPresent()) {
            throw new IOException("claim %s/%s has one of its devices, and was not released yet"
                    .formatted(
                            rival.orElseThrow().namespace(), rival.orElseThrow().name()));
        }
        if (claims.size() >= MAX_CLAIMS && !claims.containsKey(claim.uid())) {
            throw new IOException("there are " + MAX_CLAIMS + " claims already");
        }
        Path file = file(claim.uid());
        try {
            ClaimNote.write(file, claim);
        } catch (IOException e) {
            throw new IOException("cannot write " + file + ": " + e.getMessage(), e);
        }
        claims.put(claim.uid(), claim);
    }

    /** Forgets a claim that is released. */
    public synchronized void forget(String uid) throws IOException {
        if (claims.containsKey(uid) || isUnread(uid)) {
            boolean ignored = Files.deleteIfExists(file(uid));
            claims.remove(uid);
            unread.remove(uid);
        }
    }

    /** The holder of a device by a claim, with the names from when the claim was prepared. */
    Optional<Holder> name(Holding holding) {
        return holding.claim()
                .flatMap(this::of)
                .flatMap(claim -> claim.pods().stream()
                        .filter(pod ->
                                pod.uid().equals(holding.pod()) && !pod.name().isEmpty())
                        .map(pod -> new Holder(claim.namespace(), pod.name(), holding.container()))
                        .findFirst());
    }

    /** The holdings of all claims. */
    public List<Holding> holdings() {
        return claims.values().stream().flatMap(PreparedClaims::holdings).toList();
    }

    private static Stream<Holding> holdings(PreparedClaim claim) {
        String pod =
                claim.pods().isEmpty() ? claim.uid() : claim.pods().getFirst().uid();
        return claim.devices().stream()
                .filter(device -> !device.isForAdministrator())
                .map(device -> new Holding(
                        pod, "claim " + claim.name(), device.resource(), device.id(), Optional.of(claim.uid())));
    }

    private Path file(String uid) throws IOException {
        if (!isUid(uid)) {
            throw new IOException("\"" + uid + "\" is no UID");
        }
        return directory
                .orElseThrow(() -> new IOException("there is no directory for notes"))
                .resolve(uid + SUFFIX);
    }
}
