package io.edgeplug.lab.localkubelet;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import com.google.gson.annotations.SerializedName;
import com.google.protobuf.InvalidProtocolBufferException;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.proto.v1beta1.ContainerAllocateResponse;
import io.edgeplug.system.files.WholeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The file that the device manager leaves for the next kubelet: the holders of devices, and the resources. It follows
 * checkpoint/checkpoint.go in the format of the file, including the checksum.
 *
 * <p>The checksum is FNV-1a of 32 bits over the text in which Go's spew writes the data (pkg/util/hash): types in
 * parentheses if they do not follow from the context, map keys in order, bytes as numbers. {@code BootID}, which newer
 * kubelets add, is neither read nor written.
 *
 * @param entries the devices that containers hold
 * @param registered the healthy IDs of each resource that was ever listed; a reader uses only the names
 */
record Checkpoint(List<Entry> entries, TreeMap<String, List<String>> registered) {

    static final String FILE = "kubelet_internal_checkpoint";

    private static final Gson GSON =
            new GsonBuilder().serializeNulls().disableHtmlEscaping().create();
    private static final int FNV_BASIS = 0x811c9dc5;
    private static final int FNV_PRIME = 0x01000193;

    Checkpoint {
        entries = List.copyOf(entries);
        registered = new TreeMap<>(registered);
    }

    /** The holdings of pods, and the resources that were ever listed. */
    static Checkpoint of(PodDevices pods, Map<ResourceName, ResourceEntry> entries) {
        TreeMap<String, List<String>> registered = new TreeMap<>();
        entries.forEach((resource, entry) -> {
            if (entry.known()) {
                registered.put(resource.toString(), entry.healthyIds());
            }
        });
        return new Checkpoint(pods.entries(), registered);
    }

    /** The file as JSON. */
    private record Content(
            @SerializedName("Data") Body body,
            @SerializedName("Checksum") long checksum) {}

    /** Its entries are null if there are none, because Go writes a nil slice in this way. */
    private record Body(
            @SerializedName("PodDeviceEntries") List<Entry> entries,
            @SerializedName("RegisteredDevices") TreeMap<String, List<String>> registered) {}

    /** The devices of one resource that a container holds, and the plugin's answer in base64. */
    record Entry(
            @SerializedName("PodUID") String pod,
            @SerializedName("ContainerName") String container,
            @SerializedName("ResourceName") String resource,
            @SerializedName("DeviceIDs") TreeMap<Long, List<String>> devices,
            @SerializedName("AllocResp") String answer) {

        static Entry of(String pod, String container, ResourceName resource, PodDevices.Holding holding) {
            return new Entry(
                    pod,
                    container,
                    resource.toString(),
                    new TreeMap<>(holding.byNode()),
                    Base64.getEncoder().encodeToString(holding.answer().toByteArray()));
        }

        PodDevices.Holding holding() {
            try {
                return new PodDevices.Holding(
                        devices,
                        ContainerAllocateResponse.parseFrom(Base64.getDecoder().decode(answer)));
            } catch (InvalidProtocolBufferException e) {
                throw new IllegalArgumentException(e);
            }
        }

        private String dump() {
            byte[] bytes = Base64.getDecoder().decode(answer);
            String numbers = IntStream.range(0, bytes.length)
                    .mapToObj(i -> String.valueOf(Byte.toUnsignedInt(bytes[i])))
                    .collect(Collectors.joining(" ", "[", "]"));
            return "{PodUID:(string)" + pod + " ContainerName:(string)" + container + " ResourceName:(string)"
                    + resource + " DeviceIDs:(checkpoint.DevicesPerNUMA)" + dump(devices) + " AllocResp:([]uint8)"
                    + numbers + "}";
        }

        private static <K> String dump(TreeMap<K, List<String>> ids) {
            return ids.entrySet().stream()
                    .map(entry -> entry.getKey() + ":[" + String.join(" ", entry.getValue()) + "]")
                    .collect(Collectors.joining(" ", "map[", "]"));
        }
    }

    /** Replaces the file in one step, as the kubelet does, through another file whose name begins with a dot. */
    void write(Path file) throws IOException {
        String name = String.valueOf(file.getFileName());
        WholeFile.OWN.write(file.resolveSibling(""), "." + name, name, json().getBytes(StandardCharsets.UTF_8));
    }

    String json() {
        return GSON.toJson(new Content(new Body(entries.isEmpty() ? nothing() : entries, registered), checksum()));
    }

    @SuppressWarnings("NullAway") // Go's null
    private static List<Entry> nothing() {
        return null;
    }

    /**
     * Reads the file, if there is one.
     *
     * @throws IOException if a kubelet did not write it in this form; the message says why
     */
    static Optional<Checkpoint> read(Path file) throws IOException {
        try {
            Content content = GSON.fromJson(Files.readString(file), Content.class);
            if (content == null || content.body() == null || content.body().registered() == null) {
                throw new IOException("checkpoint is corrupted");
            }
            List<Entry> entries = content.body().entries();
            Checkpoint checkpoint = new Checkpoint(
                    entries == null ? List.of() : entries, content.body().registered());
            if (checkpoint.checksum() != content.checksum()) {
                throw new IOException("checkpoint is corrupted");
            }
            checkpoint.entries().forEach(Entry::holding);
            return Optional.of(checkpoint);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (JsonParseException | IllegalArgumentException | NullPointerException e) {
            throw new IOException("checkpoint is corrupted: " + e.getMessage(), e);
        }
    }

    long checksum() {
        String held = entries.isEmpty()
                ? "<nil>"
                : entries.stream().map(Entry::dump).collect(Collectors.joining(" ", "[", "]"));
        String text = "(checkpoint.checkpointData){PodDeviceEntries:([]checkpoint.PodDevicesEntry)" + held
                + " RegisteredDevices:(map[string][]string)" + Entry.dump(registered) + "}";
        int hash = FNV_BASIS;
        for (byte octet : text.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ Byte.toUnsignedInt(octet)) * FNV_PRIME;
        }
        return Integer.toUnsignedLong(hash);
    }
}
