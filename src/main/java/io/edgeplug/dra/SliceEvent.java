package io.edgeplug.dra;

import com.google.gson.stream.JsonReader;
import java.io.IOException;
import java.io.StringReader;

/**
 * What a watch reports of a slice.
 *
 * @param type what has happened, in Kubernetes' words; empty if the event cannot be read
 * @param name the name of the slice
 * @param version its {@code resourceVersion}
 */
record SliceEvent(String type, String name, String version) {

    private static final SliceEvent UNREADABLE = new SliceEvent("", "", "");

    /**
     * Reads the line of an event as far as needed. Kubernetes writes the type first, and the devices last, which would
     * take longest.
     */
    static SliceEvent of(String line) {
        try (JsonReader json = new JsonReader(new StringReader(line))) {
            String type = "";
            json.beginObject();
            while (json.hasNext()) {
                switch (json.nextName()) {
                    case "type" -> type = json.nextString();
                    case "object" -> {
                        return ofObject(type, json);
                    }
                    default -> json.skipValue();
                }
            }
        } catch (IOException | IllegalStateException e) {
            return UNREADABLE;
        }
        return UNREADABLE;
    }

    private static SliceEvent ofObject(String type, JsonReader json) throws IOException {
        json.beginObject();
        while (json.hasNext()) {
            if (json.nextName().equals("metadata")) {
                return ofMetadata(type, json);
            }
            json.skipValue();
        }
        return new SliceEvent(type, "", "");
    }

    private static SliceEvent ofMetadata(String type, JsonReader json) throws IOException {
        String name = "";
        String version = "";
        json.beginObject();
        while (json.hasNext()) {
            switch (json.nextName()) {
                case "name" -> name = json.nextString();
                case "resourceVersion" -> version = json.nextString();
                default -> json.skipValue();
            }
        }
        return new SliceEvent(type, name, version);
    }
}
