package io.edgeplug.pods;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.edgeplug.linux.ForeignFile;
import io.edgeplug.pods.HeldDevices.Holding;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
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
    private static final int MAX_BYTES = 1 << 20;

    /** A node runs a few hundred pods at most. */
    private static final int MAX_CLAIMS = 4096;

    private static final Pattern UID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9-]{0,62}");
    private static final Gson JSON = new GsonBuilder().disableHtmlEscaping().create();

    private final Optional<Path> directory;
    private final Map<String, PreparedClaim> claims = new ConcurrentHashMap<>();

    private final List<String> unread = new ArrayList<>();

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
     * @throws IOException if the notes cannot be read
     */
    public static Optional<PreparedClaim> having(Path root, Predicate<String> id) throws IOException {
        if (!Files.isDirectory(directory(root))) {
            return Optional.empty();
        }
        String now = Files.exists(boot(root)) ? Files.readString(boot(root)).strip() : "";
        return read(directory(root)).all().stream()
                .filter(claim -> claim.boot().filter(one -> !one.equals(now)).isEmpty())
                .filter(claim -> holdings(claim).map(Holding::id).anyMatch(id))
                .findFirst();
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
        try {
            PreparedClaim claim = readOne(file);
            claims.put(claim.uid(), claim);
        } catch (IOException e) {
            unread.add(String.valueOf(e.getMessage()));
        }
    }

    /** A line for each note that could not be read. The devices in it are not known. */
    public List<String> unread() {
        return List.copyOf(unread);
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

    /** Another claim that has one of the devices of this one. */
    private Optional<PreparedClaim> rival(PreparedClaim claim) {
        List<String> wanted = holdings(claim).map(Holding::id).toList();
        return claims.values().stream()
                .filter(other -> !other.uid().equals(claim.uid()))
                .filter(other -> holdings(other).map(Holding::id).anyMatch(wanted::contains))
                .findFirst();
    }

    /**
     * Notes a claim or a change of it. It is on the disk when this returns.
     *
     * @throws IOException if it cannot be noted, or another claim has one of its devices
     */
    public synchronized void note(PreparedClaim claim) throws IOException {
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
            write(file, JSON.toJson(json(claim)));
        } catch (IOException e) {
            throw new IOException("cannot write " + file + ": " + e.getMessage(), e);
        }
        claims.put(claim.uid(), claim);
    }

    /** Forgets a claim that is released. */
    public synchronized void forget(String uid) throws IOException {
        if (claims.containsKey(uid)) {
            boolean ignored = Files.deleteIfExists(file(uid));
            claims.remove(uid);
        }
    }

    /** The holdings of all claims. */
    public List<Holding> holdings() {
        return claims.values().stream().flatMap(PreparedClaims::holdings).toList();
    }

    private static Stream<Holding> holdings(PreparedClaim claim) {
        String pod = claim.pods().isEmpty() ? claim.uid() : claim.pods().getFirst();
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

    private static void write(Path file, String text) throws IOException {
        Path directory = file.resolveSibling("");
        Files.createDirectories(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path unfinished = file.resolveSibling(file.getFileName() + ".new");
        try (FileChannel channel = FileChannel.open(
                unfinished,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
            ByteBuffer rest = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (rest.hasRemaining()) {
                int ignored = channel.write(rest);
            }
            channel.force(true);
        }
        Path ignored = Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        try (FileChannel opened = FileChannel.open(directory)) {
            opened.force(true);
        }
    }

    private static JsonObject json(PreparedClaim claim) {
        JsonObject json = new JsonObject();
        json.addProperty("uid", claim.uid());
        json.addProperty("namespace", claim.namespace());
        json.addProperty("name", claim.name());
        JsonArray pods = new JsonArray();
        claim.pods().forEach(pods::add);
        json.add("pods", pods);
        JsonArray devices = new JsonArray();
        claim.devices().forEach(device -> devices.add(json(device)));
        json.add("devices", devices);
        claim.boot().ifPresent(boot -> json.addProperty("boot", boot));
        claim.specification().ifPresent(text -> json.addProperty("specification", text));
        return json;
    }

    private static JsonObject json(PreparedClaim.Device device) {
        JsonObject json = new JsonObject();
        json.addProperty("request", device.request());
        json.addProperty("pool", device.pool());
        json.addProperty("name", device.name());
        json.addProperty("id", device.id());
        json.addProperty("resource", device.resource());
        json.addProperty("admin", device.isForAdministrator());
        device.cdi().ifPresent(name -> json.addProperty("cdi", name));
        return json;
    }

    private static PreparedClaim readOne(Path file) throws IOException {
        try (InputStream in = ForeignFile.open(file, MAX_BYTES)) {
            JsonElement read = JsonParser.parseString(new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8));
            JsonObject json = read.getAsJsonObject();
            List<String> pods = new ArrayList<>();
            json.getAsJsonArray("pods").forEach(pod -> pods.add(pod.getAsString()));
            List<PreparedClaim.Device> devices = new ArrayList<>();
            json.getAsJsonArray("devices").forEach(device -> devices.add(device(device.getAsJsonObject())));
            return new PreparedClaim(
                    json.get("uid").getAsString(),
                    json.get("namespace").getAsString(),
                    json.get("name").getAsString(),
                    pods,
                    devices,
                    Optional.ofNullable(json.get("boot")).map(JsonElement::getAsString),
                    Optional.ofNullable(json.get("specification")).map(JsonElement::getAsString));
        } catch (JsonParseException | IllegalStateException | UnsupportedOperationException | NullPointerException e) {
            throw new IOException(file + ": is not as edgeplug writes it; drain the node and delete the file", e);
        } catch (IOException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    private static PreparedClaim.Device device(JsonObject json) {
        return new PreparedClaim.Device(
                json.get("request").getAsString(),
                json.get("pool").getAsString(),
                json.get("name").getAsString(),
                json.get("id").getAsString(),
                json.get("resource").getAsString(),
                json.get("admin").getAsBoolean(),
                Optional.ofNullable(json.get("cdi")).map(JsonElement::getAsString));
    }
}
