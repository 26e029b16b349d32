package io.edgeplug.kubelet;

import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.MalformedJsonException;
import io.edgeplug.device.Device;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.ResourceName;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which devices containers hold, of whichever plugin, as the kubelet has noted it in its checkpoint; see
 * pkg/kubelet/cm/devicemanager/checkpoint in Kubernetes.
 *
 * <p>A device is noted before its container starts. One whose pod has ended stays noted until the kubelet gives devices
 * to another: so what is not noted is free, and what is may be held. The checksum is not looked at, since it is another
 * in other versions and the kubelet replaces the file in one step. Most of the file is answers of plugins, of any size,
 * so it is never in memory as a whole.
 */
public final class HeldDevices {

    static final String FILE = "kubelet_internal_checkpoint";

    /** A hundred times that of a node with 110 pods. */
    static final long MAX_BYTES = 64L << 20;

    /** Those take a third of the daemon's heap. */
    static final int MAX_IDS = 50_000;

    private final Map<String, List<Holding>> byId = new HashMap<>();

    /** By what is before the first dash of an ID: for a function and its parts, the address. */
    private final Map<String, Holding> byFunction = new HashMap<>();

    private int count;

    private HeldDevices() {}

    /** A checkpoint of no kubelet's, which must not cost the daemon its memory. */
    private static final class TooMuchException extends IOException {

        private static final long serialVersionUID = 1;

        TooMuchException(String message) {
            super(message);
        }
    }

    /** A container, by its pod's UID, and an ID that it was given. */
    public record Holding(String pod, String container, String resource, String id) {}

    /**
     * Reads the checkpoint in the kubelet's directory for device plugins.
     *
     * @throws IOException if it does not tell; the message says why
     */
    public static HeldDevices read(Path kubeletDir) throws IOException {
        Path file = kubeletDir.resolve(FILE);
        try (JsonReader json = new JsonReader(Files.newBufferedReader(file))) {
            HeldDevices held = new HeldDevices();
            if (Files.size(file) > MAX_BYTES) {
                throw new TooMuchException("is larger than " + (MAX_BYTES >> 20) + " MiB");
            }
            if (!held.readCheckpoint(json)) {
                throw new MalformedJsonException("nothing tells of pods");
            }
            return held;
        } catch (NoSuchFileException e) {
            throw new IOException(file + ": no such file", e);
        } catch (AccessDeniedException e) {
            throw new IOException(file + ": Permission denied", e);
        } catch (TooMuchException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        } catch (MalformedJsonException
                | EOFException
                | CharacterCodingException
                | IllegalStateException
                | NumberFormatException e) {
            throw new IOException(file + ": is not as a kubelet writes it", e);
        }
    }

    /** Who holds a device, or a part or a share of it; the first of several. */
    public Optional<Holding> of(Device device) {
        Optional<Holding> holding =
                byId.getOrDefault(device.id(), List.of()).stream().findFirst();
        if (holding.isEmpty() && device instanceof PciDevice pci) {
            // what is done to a function does not leave its parts alone
            return Optional.ofNullable(byFunction.get(pci.function().address().toString()));
        }
        return holding;
    }

    /**
     * All who hold a device of a resource, or a share of it: a container may have got what an init container of its pod
     * had.
     */
    List<Holding> all(ResourceName resource, Device device) {
        return byId.getOrDefault(device.id(), List.of()).stream()
                .filter(holding -> holding.resource().equals(resource.toString()))
                .toList();
    }

    /** Whether it tells of pods. */
    private boolean readCheckpoint(JsonReader json) throws IOException {
        boolean tells = false;
        json.beginObject();
        while (json.hasNext()) {
            if (json.nextName().equals("Data")) {
                tells |= readData(json);
            } else {
                json.skipValue();
            }
        }
        json.endObject();
        return tells && json.peek() == JsonToken.END_DOCUMENT;
    }

    private boolean readData(JsonReader json) throws IOException {
        boolean tells = false;
        json.beginObject();
        while (json.hasNext()) {
            if (!json.nextName().equals("PodDeviceEntries")) {
                json.skipValue();
                continue;
            }
            tells = true;
            if (json.peek() == JsonToken.NULL) {
                json.nextNull();
                continue;
            }
            json.beginArray();
            while (json.hasNext()) {
                readEntry(json);
            }
            json.endArray();
        }
        json.endObject();
        return tells;
    }

    private void readEntry(JsonReader json) throws IOException {
        Map<String, String> words = new HashMap<>();
        List<String> ids = new ArrayList<>();
        boolean hasIds = false;
        json.beginObject();
        while (json.hasNext()) {
            String name = json.nextName();
            switch (name) {
                case "PodUID", "ContainerName", "ResourceName" -> words.put(name, json.nextString());
                case "DeviceIDs" -> {
                    hasIds = true;
                    readIds(json, ids);
                }
                default -> json.skipValue();
            }
        }
        json.endObject();
        if (words.size() < 3 || !hasIds) {
            throw new MalformedJsonException("an entry is not whole");
        }
        for (String id : ids) {
            add(new Holding(
                    words.getOrDefault("PodUID", ""),
                    words.getOrDefault("ContainerName", ""),
                    words.getOrDefault("ResourceName", ""),
                    id));
        }
    }

    /** By NUMA node, and before Kubernetes 1.20 as a list. */
    private void readIds(JsonReader json, List<String> ids) throws IOException {
        if (json.peek() == JsonToken.BEGIN_ARRAY) {
            json.beginArray();
            while (json.hasNext()) {
                ids.add(json.nextString());
                if (count + ids.size() > MAX_IDS) {
                    throw new TooMuchException("tells of more than " + MAX_IDS + " devices");
                }
            }
            json.endArray();
            return;
        }
        json.beginObject();
        while (json.hasNext()) {
            String unusedNode = json.nextName();
            readIds(json, ids);
        }
        json.endObject();
    }

    private void add(Holding holding) {
        String id = before(Shares.SEPARATOR, holding.id());
        byId.merge(id, List.of(holding), HeldDevices::joined);
        count++;
        byFunction.putIfAbsent(before("-", id), holding);
    }

    /** Nearly all have one holder, and such a list is small. */
    private static List<Holding> joined(List<Holding> before, List<Holding> more) {
        List<Holding> joined = before.size() == 1 ? new ArrayList<>(before) : before;
        joined.addAll(more);
        return joined;
    }

    private static String before(String separator, String text) {
        int at = text.indexOf(separator);
        return at < 0 ? text : text.substring(0, at);
    }
}
