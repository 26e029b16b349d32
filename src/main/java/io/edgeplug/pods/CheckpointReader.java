package io.edgeplug.pods;

import com.google.gson.stream.JsonToken;
import com.google.gson.stream.MalformedJsonException;
import io.edgeplug.linux.ForeignFile.TooLargeException;
import io.edgeplug.linux.ForeignJson;
import io.edgeplug.pods.HeldDevices.Holding;
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

    /** The memory of an ID besides its characters. It is in two maps. */
    private static final int COST_OF_ID = 200;

    private static final int COST_OF_WORD = 56;

    private final ForeignJson json;
    private final Consumer<Holding> found;
    private final Set<String> offered;
    private int kept;

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
        boolean tells = false;
        json.beginObject();
        while (json.hasNext()) {
            if (json.nextName().equals("Data")) {
                tells |= readData();
            } else {
                json.skipValue();
            }
        }
        json.endObject();
        if (!tells || json.peek() != JsonToken.END_DOCUMENT) {
            throw new MalformedJsonException("it has no list of pods");
        }
    }

    /** Returns whether it lists pods. */
    private boolean readData() throws IOException {
        boolean tells = false;
        json.beginObject();
        while (json.hasNext()) {
            String name = json.nextName();
            if (name.equals("RegisteredDevices") && json.peek() == JsonToken.BEGIN_OBJECT) {
                readRegistered();
                continue;
            }
            if (!name.equals("PodDeviceEntries")) {
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
                readEntry();
            }
            json.endArray();
        }
        json.endObject();
        return tells;
    }

    /** Of the healthy devices of each resource, it keeps whether there are any. */
    private void readRegistered() throws IOException {
        json.beginObject();
        while (json.hasNext()) {
            String resource = json.nextName();
            if (json.peek() != JsonToken.BEGIN_ARRAY) {
                json.skipValue();
                continue;
            }
            json.beginArray();
            if (json.hasNext()) {
                offered.add(kept(resource, COST_OF_WORD));
            }
            while (json.hasNext()) {
                json.skipValue();
            }
            json.endArray();
        }
        json.endObject();
    }

    private void readEntry() throws IOException {
        Map<String, String> words = new HashMap<>();
        List<String> ids = new ArrayList<>();
        boolean hasIds = false;
        json.beginObject();
        while (json.hasNext()) {
            String name = json.nextName();
            switch (name) {
                case "PodUID", "ContainerName", "ResourceName" ->
                    words.put(name, kept(json.nextString(), COST_OF_WORD));
                case "DeviceIDs" -> {
                    hasIds = true;
                    readIds(ids);
                }
                default -> json.skipValue();
            }
        }
        json.endObject();
        if (words.size() < 3 || !hasIds) {
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

    /** The IDs are grouped by NUMA node; before Kubernetes 1.20 they are one list. */
    private void readIds(List<String> ids) throws IOException {
        if (json.peek() == JsonToken.BEGIN_ARRAY) {
            json.beginArray();
            while (json.hasNext()) {
                String id = json.nextString();
                if (id.length() <= MAX_ID) {
                    ids.add(kept(id, COST_OF_ID + 2 * id.length()));
                }
            }
            json.endArray();
            return;
        }
        json.beginObject();
        while (json.hasNext()) {
            String unusedNode = json.nextName();
            readIds(ids);
        }
        json.endObject();
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
