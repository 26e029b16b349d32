package io.edgeplug.api.dra;

import com.google.gson.JsonObject;
import com.google.gson.stream.MalformedJsonException;
import io.edgeplug.system.files.ForeignFile.TooLargeException;
import io.edgeplug.system.files.ForeignJson;
import java.io.EOFException;
import java.io.IOException;
import java.util.List;

/**
 * What a watch reports of a slice.
 *
 * @param type what has happened, in Kubernetes' words; empty if the event cannot be read
 * @param name the name of the slice
 * @param version its {@code resourceVersion}
 */
record SliceEvent(String type, String name, String version) {

    /** The longest name of Kubernetes. */
    private static final int MAX_NAME = 253;

    /** Some names take less than this, and others could fill the memory. */
    static final int MAX_BYTES = 64 << 10;

    private static final NeededFields FIELDS =
            new NeededFields("type", "object/metadata/name", "object/metadata/resourceVersion");

    private static final List<String> NAMELESS = List.of("BOOKMARK", "ERROR");

    private static final SliceEvent UNREADABLE = new SliceEvent("", "", "");

    /**
     * Reads an event, which is then wholly read. Kubernetes writes the type first. Names are those of Kubernetes, so
     * longer ones cannot be read, and would only fill the memory.
     */
    static SliceEvent read(ForeignJson json) throws IOException {
        try {
            JsonObject event = FIELDS.read(json, MAX_BYTES);
            JsonObject metadata = Json.object(Json.object(event, "object"), "metadata");
            SliceEvent read = new SliceEvent(
                    Json.text(event, "type"), Json.text(metadata, "name"), Json.text(metadata, "resourceVersion"));
            boolean isNamed = NAMELESS.contains(read.type) || !read.name.isEmpty();
            return isNamed && read.name.length() <= MAX_NAME && read.version.length() <= MAX_NAME ? read : UNREADABLE;
        } catch (MalformedJsonException | EOFException | TooLargeException | IllegalStateException e) {
            return UNREADABLE;
        }
    }
}
