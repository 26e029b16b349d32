package io.edgeplug.node.pods;

import io.edgeplug.node.pods.HeldDevices.Holding;
import io.edgeplug.node.pods.PodNames.Holder;
import io.edgeplug.system.files.ForeignFile;
import io.edgeplug.system.kernel.KernelReason;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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

    /** That many claims with some devices each have notes of 2 KB. All of them are in memory. */
    private static final long MAX_BYTES = 8 << 20;

    private static final Pattern UID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9-]{0,62}");

    /** Null if the node prepares no claims. */
    private final @Nullable Path directory;

    private final Map<String, PreparedClaim> claims = new ConcurrentHashMap<>();

    /** By the UID of a claim, the size of its note. */
    private final Map<String, Long> sizes = new ConcurrentHashMap<>();

    /** By the UID of a claim, why its note cannot be read: it is not known which devices that claim has. */
    private final Map<String, String> unread = new ConcurrentHashMap<>();

    private PreparedClaims(@Nullable Path directory) {
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
     * The claims of a node whose containers may run. Those that were prepared before it was booted have none, until the
     * kubelet has them prepared again.
     *
     * @param root the node's root directory
     * @throws IOException if the notes cannot be read
     */
    static PreparedClaims ofThisBoot(Path root) throws IOException {
        PreparedClaims all = read(directory(root));
        String now = Files.exists(boot(root)) ? Files.readString(boot(root)).strip() : "";
        all.claims
                .values()
                .removeIf(
                        claim -> claim.boot().filter(boot -> !boot.equals(now)).isPresent());
        return all;
    }

    /** For a node that prepares no claims. */
    public static PreparedClaims none() {
        return new PreparedClaims(null);
    }

    /**
     * Reads the notes there; none if there is no such directory.
     *
     * @throws IOException if the directory cannot be read: then the holders are not known
     */
    public static PreparedClaims read(Path directory) throws IOException {
        PreparedClaims all = new PreparedClaims(directory);
        if (!isThere(directory)) {
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

    /** Something else in place of the directory is no sign that there are no notes. */
    private static boolean isThere(Path directory) throws IOException {
        boolean isThere = Files.exists(directory, LinkOption.NOFOLLOW_LINKS);
        if (isThere && !Files.isDirectory(directory)) {
            throw new IOException(directory + ": is no directory, so it is not known which devices claims have");
        }
        return isThere;
    }

    private void add(Path file) {
        String uid = String.valueOf(file.getFileName()).replaceFirst("\\.json$", "");
        try {
            long size = size(file);
            refuseBeyond(uid, size, file + ": ");
            claims.put(uid, ClaimNote.read(file, uid));
            sizes.put(uid, size);
        } catch (IOException e) {
            unread.put(
                    uid,
                    e.getMessage() + ", so it is not known which devices claim " + uid
                            + " has, and no other claim gets any; delete the pods that use it, or drain the node and"
                            + " delete the file");
        }
    }

    private static long size(Path file) throws IOException {
        try {
            return Files.size(ForeignFile.near(file));
        } catch (IOException e) {
            throw new IOException(file + ": " + KernelReason.words(e), e);
        }
    }

    private void refuseBeyond(String uid, long size, String subject) throws IOException {
        long others = sizes.values().stream().mapToLong(Long::longValue).sum() - sizes.getOrDefault(uid, 0L);
        if (others + size > MAX_BYTES) {
            throw new IOException(
                    subject + "the notes of all claims would have more than " + (MAX_BYTES >> 20) + " MiB");
        }
    }

    /** A line for each note that cannot be read. The devices in it are not known. */
    public List<String> unread() {
        // An administrator may have deleted a file.
        unread.keySet()
                .removeIf(uid ->
                        directory == null || !Files.exists(directory.resolve(uid + SUFFIX), LinkOption.NOFOLLOW_LINKS));
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

    /** Whether containers may have used the devices of a claim: it was completely prepared once. */
    public boolean wasPrepared(String uid) {
        return of(uid).flatMap(PreparedClaim::boot).isPresent();
    }

    public List<PreparedClaim> all() {
        return List.copyOf(claims.values());
    }

    /**
     * Notes a claim or a change of it. It is on the disk when this returns.
     *
     * @throws IOException if it cannot be noted, or it is not known which devices other claims have
     */
    public synchronized void note(PreparedClaim claim) throws IOException {
        if (!claims.containsKey(claim.uid())) {
            refuseIfUnread();
        }
        if (claims.size() >= MAX_CLAIMS && !claims.containsKey(claim.uid())) {
            throw new IOException("there are " + MAX_CLAIMS + " claims already");
        }
        Path file = file(claim.uid());
        byte[] note = ClaimNote.bytes(claim);
        refuseBeyond(claim.uid(), note.length, "");
        try {
            ClaimNote.write(file, note);
        } catch (IOException e) {
            throw new IOException("cannot write " + file + ": " + e.getMessage(), e);
        }
        claims.put(claim.uid(), claim);
        sizes.put(claim.uid(), (long) note.length);
    }

    /** Forgets a claim that is released. */
    public synchronized void forget(String uid) throws IOException {
        if (claims.containsKey(uid) || isUnread(uid)) {
            boolean ignored = Files.deleteIfExists(file(uid));
            claims.remove(uid);
            sizes.remove(uid);
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

    /** The path of the note of a claim, for a person. */
    public String place(String uid) {
        return directory + "/" + uid + SUFFIX;
    }

    private Path file(String uid) throws IOException {
        if (!isUid(uid)) {
            throw new IOException("\"" + uid + "\" is no UID");
        }
        if (directory == null) {
            throw new IOException("there is no directory for notes");
        }
        return directory.resolve(uid + SUFFIX);
    }
}
