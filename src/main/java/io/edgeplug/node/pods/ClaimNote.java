package io.edgeplug.node.pods;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.stream.MalformedJsonException;
import io.edgeplug.system.files.ForeignFile.TooLargeException;
import io.edgeplug.system.files.ForeignJson;
import io.edgeplug.system.files.JsonTree;
import io.edgeplug.system.files.WholeFile;
import io.edgeplug.system.kernel.KernelReason;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The file in which a claim is noted. */
final class ClaimNote {

    /** The limit of reading is that of writing too, because a note that cannot be read keeps all devices from others. */
    static final int MAX_BYTES = 1 << 20;

    /** How much memory a note may take while it is read. */
    private static final int MAX_TREE = 6 << 20;

    private static final Gson JSON = new GsonBuilder().disableHtmlEscaping().create();

    private ClaimNote() {}

    /**
     * The note of a claim.
     *
     * @throws IOException if it is too large to be read again
     */
    static byte[] bytes(PreparedClaim claim) throws IOException {
        byte[] bytes = JSON.toJson(json(claim)).getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MAX_BYTES) {
            throw new IOException("the note of the claim would have more than " + (MAX_BYTES >> 10) + " KiB");
        }
        // Many shares are a short note, but a large tree. A note that cannot be read keeps all claims from their
        // devices.
        try (ForeignJson written = ForeignJson.of(new ByteArrayInputStream(bytes), MAX_BYTES, MAX_BYTES)) {
            JsonElement ignored = new JsonTree(written, MAX_TREE).next();
        } catch (TooLargeException e) {
            throw new IOException("the note of the claim " + e.getMessage(), e);
        }
        return bytes;
    }

    /** Writes a note, aside and then in one step; it is on the disk when this returns. */
    static void write(Path file, byte[] note) throws IOException {
        String name = String.valueOf(file.getFileName());
        try {
            WholeFile.DURABLE.write(WholeFile.ownDirectory(file.resolveSibling("")), name, note);
        } catch (IOException e) {
            throw new IOException(file + ": cannot be written: " + KernelReason.words(e), e);
        }
    }

    private static JsonObject json(PreparedClaim claim) {
        JsonObject json = new JsonObject();
        json.addProperty("uid", claim.uid());
        json.addProperty("namespace", claim.namespace());
        json.addProperty("name", claim.name());
        JsonArray pods = new JsonArray();
        claim.pods().forEach(pod -> {
            JsonObject one = new JsonObject();
            one.addProperty("uid", pod.uid());
            one.addProperty("name", pod.name());
            pods.add(one);
        });
        json.add("pods", pods);
        JsonArray devices = new JsonArray();
        claim.devices().forEach(device -> devices.add(json(device)));
        json.add("devices", devices);
        claim.boot().ifPresent(boot -> json.addProperty("boot", boot));
        claim.specification().ifPresent(text -> json.addProperty("specification", text));
        JsonObject metadata = new JsonObject();
        claim.metadata().forEach(metadata::addProperty);
        json.add("metadata", metadata);
        claim.allocation().ifPresent(allocation -> json.addProperty("allocation", allocation));
        claim.allocation().filter(any -> claim.isAhead()).ifPresent(ahead -> json.addProperty("ahead", ahead));
        if (claim.isUndone()) {
            json.addProperty("undone", true);
        }
        return json;
    }

    private static JsonObject json(PreparedClaim.Device device) {
        JsonObject json = new JsonObject();
        json.addProperty("request", device.request());
        json.addProperty("pool", device.pool());
        json.addProperty("name", device.name());
        device.share().ifPresent(share -> json.addProperty("share", share));
        json.addProperty("id", device.id());
        json.addProperty("resource", device.resource());
        json.addProperty("admin", device.isForAdministrator());
        device.cdi().ifPresent(name -> json.addProperty("cdi", name));
        return json;
    }

    /**
     * Reads the claim that it is about.
     *
     * @param uid of the claim
     * @throws IOException if it does not tell; the message begins with the file
     */
    static PreparedClaim read(Path file, String uid) throws IOException {
        try (ForeignJson json = ForeignJson.open(file, MAX_BYTES, MAX_BYTES)) {
            PreparedClaim claim = claim(new JsonTree(json, MAX_TREE).next().getAsJsonObject());
            if (!claim.uid().equals(uid)) {
                throw new IllegalStateException("is about " + claim.uid());
            }
            return claim;
        } catch (MalformedJsonException
                | EOFException
                | ClassCastException
                | IllegalStateException
                | UnsupportedOperationException
                | NullPointerException e) {
            throw new IOException(file + ": is not as edgeplug writes it", e);
        } catch (IOException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    private static PreparedClaim claim(JsonObject json) {
        List<PreparedClaim.Pod> pods = new ArrayList<>();
        json.getAsJsonArray("pods").forEach(pod -> pods.add(pod(pod)));
        List<PreparedClaim.Device> devices = new ArrayList<>();
        json.getAsJsonArray("devices").forEach(device -> devices.add(device(device.getAsJsonObject())));
        return new PreparedClaim(
                json.get("uid").getAsString(),
                json.get("namespace").getAsString(),
                json.get("name").getAsString(),
                pods,
                devices,
                Optional.ofNullable(json.get("boot")).map(JsonElement::getAsString),
                Optional.ofNullable(json.get("specification")).map(JsonElement::getAsString),
                metadata(json),
                Optional.ofNullable(json.get("allocation"))
                        .or(() -> Optional.ofNullable(json.get("ahead")))
                        .map(JsonElement::getAsString),
                json.has("ahead"),
                json.has("undone"));
    }

    /** An earlier build noted none. */
    private static Map<String, String> metadata(JsonObject json) {
        Map<String, String> metadata = new TreeMap<>();
        if (json.has("metadata")) {
            json.getAsJsonObject("metadata")
                    .asMap()
                    .forEach((request, text) -> metadata.put(request, text.getAsString()));
        }
        return metadata;
    }

    /** An earlier build noted the UID alone. */
    private static PreparedClaim.Pod pod(JsonElement json) {
        return json instanceof JsonObject pod
                ? new PreparedClaim.Pod(
                        pod.get("uid").getAsString(), pod.get("name").getAsString())
                : new PreparedClaim.Pod(json.getAsString(), "");
    }

    private static PreparedClaim.Device device(JsonObject json) {
        return new PreparedClaim.Device(
                json.get("request").getAsString(),
                json.get("pool").getAsString(),
                json.get("name").getAsString(),
                Optional.ofNullable(json.get("share")).map(JsonElement::getAsString),
                json.get("id").getAsString(),
                json.get("resource").getAsString(),
                json.get("admin").getAsBoolean(),
                Optional.ofNullable(json.get("cdi")).map(JsonElement::getAsString));
    }
}
