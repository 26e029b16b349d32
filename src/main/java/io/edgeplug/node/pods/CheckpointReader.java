package io.edgeplug.node.pods;

import com.google.gson.stream.JsonToken;
import com.google.gson.stream.MalformedJsonException;
import io.edgeplug.node.pods.HeldDevices.Holding;
import io.edgeplug.system.files.ForeignFile.TooLargeException;
import io.edgeplug.system.files.ForeignJson;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Reads the holdings in a kubelet's checkpoint of any version, one by one; see {@link HeldDevices}. */
final class CheckpointReader {

    /** The kept part may take a quarter of the daemon's heap: 30,000 devices and more. */
    private static final int MAX_KEPT_MIB = 8;

    /** No ID of edgeplug is longer, and nobody asks for others. */
    private static final int MAX_ID = 128;

    /** The limit of Kubernetes for all names. */
    private static final int MAX_NAME = 253;

    /** The memory of an ID besides its characters. It is in two maps. */
    private static final int COST_OF_ID = 200;

    private static final int COST_OF_WORD = 56;

    private final ForeignJson json;
    private final Consumer<Holding> found;
    private final Set<String> offered;
    private int kept;
    private boolean hasPods;

    /**
     * A reader of that file.
     *
     * @param offered gets the resources of which the kubelet has healthy devices
     */
    CheckpointReader(ForeignJson json, Consumer<Holding> found, Set<String> offered) {
        this.json = json;
        this.found = found;
        this.offered = offered;
    }

    /**
     * Reads it, once.
     *
     * @throws IOException if it does not list pods, or more of them than fit
     */
    void read() throws IOException {
        json.eachField(name -> {
            if (name.equals("Data")) {
                json.eachField(this::readData);
            } else {
                json.skipValue();
            }
        });
        if (!hasPods || json.peek() != JsonToken.END_DOCUMENT) {
            throw new MalformedJsonException("it has no list of pods");
        }
    }

    private void readData(String name) throws IOException {
        switch (name) {
            case "RegisteredDevices" -> json.eachField(this::readRegistered);
            case "PodDeviceEntries" -> {
                hasPods |= json.peek() == JsonToken.BEGIN_ARRAY || json.peek() == JsonToken.NULL;
                json.eachElement(this::readEntry);
            }
            default -> json.skipValue();
        }
    }

    /** Of the healthy devices of a resource, it keeps whether there are any. */
    private void readRegistered(String resource) throws IOException {
        json.eachElement(() -> {
            if (!offered.contains(resource)) {
                offered.add(kept(resource, COST_OF_WORD));
            }
            json.skipValue();
        });
    }

    private void readEntry() throws IOException {
        Map<String, String> words = new HashMap<>();
        List<String> ids = new ArrayList<>();
        json.eachField(name -> {
            switch (name) {
                case "PodUID", "ContainerName" -> words.put(name, kept(name(), COST_OF_WORD));
                case "ResourceName" -> words.put(name, kept(json.nextString(), COST_OF_WORD));
                case "DeviceIDs" -> {
                    words.put(name, "");
                    readIds(ids);
                }
                default -> json.skipValue();
            }
        });
        if (words.size() < 4) {
            throw new MalformedJsonException("an entry is not whole");
        }
        for (String id : ids) {
            found.accept(new Holding(
                    words.getOrDefault("PodUID", ""),
                    words.getOrDefault("ContainerName", ""),
                    words.getOrDefault("ResourceName", ""),
                    id));
        }
    }

    /** A name of a pod or container. It is told of each device. */
    private String name() throws IOException {
        String name = json.nextString();
        if (name.length() > MAX_NAME) {
            throw new TooLargeException("has a name of a pod or container of more than " + MAX_NAME + " characters");
        }
        return name;
    }

    /** The IDs are grouped by NUMA node; before Kubernetes 1.20 they are one list. */
    private void readIds(List<String> ids) throws IOException {
        if (json.peek() == JsonToken.BEGIN_OBJECT) {
            json.eachField(node -> readIds(ids));
            return;
        }
        json.beginArray();
        while (json.hasNext()) {
            String id = json.nextString();
            if (id.length() <= MAX_ID) {
                ids.add(kept(id, COST_OF_ID + 2 * id.length()));
            }
        }
        json.endArray();
    }

    /** Counts the memory of a text that is kept. */
    private String kept(String text, int more) throws IOException {
        // Each character takes two bytes, unless all are Latin.
        kept += 2 * text.length() + more;
        if (kept > MAX_KEPT_MIB << 20) {
            throw new TooLargeException("lists more devices than fit into " + MAX_KEPT_MIB + " MiB");
        }
        return text;
    }
}
