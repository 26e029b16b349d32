package io.edgeplug.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A ResourceSlice of this node on the API server.
 *
 * @param version its {@code resourceVersion}, which an update must name
 * @param index its place among all slices, from 0; -1 if its name has none
 */
record Slice(String name, String uid, String version, int index, long generation, long count, SliceContent content) {

    private static final Pattern INDEX = Pattern.compile("([0-9a-f]{4})-.*");

    /**
     * The place of slices.
     *
     * @param node the name of the node, and of the pool
     * @param nodeUid the UID of the node; its slices are deleted together with it
     */
    record Place(String driver, String node, String nodeUid) {}

    /** Reads a slice. */
    static Slice of(JsonObject json) {
        return of(json, SliceContent.of(object(json, "spec")));
    }

    /**
     * Reads the answer to a slice that was sent. An answer mostly has the content as it was sent, and then that is not
     * parsed, which would take longest.
     *
     * @throws IOException if the answer is no JSON
     */
    static Slice of(String answer, SliceContent sent) throws IOException {
        int at = answer.indexOf(sent.field());
        if (at < 0) {
            return of(ApiServer.parsed(answer));
        }
        String rest = answer.substring(0, at)
                + sent.emptyField()
                + answer.substring(at + sent.field().length());
        return of(ApiServer.parsed(rest), sent);
    }

    private static Slice of(JsonObject json, SliceContent content) {
        JsonObject metadata = object(json, "metadata");
        JsonObject pool = object(object(json, "spec"), "pool");
        String name = text(metadata, "name");
        Matcher index = INDEX.matcher(name);
        return new Slice(
                name,
                text(metadata, "uid"),
                text(metadata, "resourceVersion"),
                index.matches() ? Integer.parseInt(index.group(1), 16) : -1,
                number(pool, "generation"),
                number(pool, "resourceSliceCount"),
                content);
    }

    /** The JSON of a slice: a new one, or one that replaces another. The content is not parsed, which would take longest. */
    static String json(
            Place place, int index, long generation, long count, SliceContent content, Optional<Slice> replaced) {
        JsonObject metadata = new JsonObject();
        if (replaced.isPresent()) {
            metadata.addProperty("name", replaced.orElseThrow().name());
            metadata.addProperty("uid", replaced.orElseThrow().uid());
            metadata.addProperty("resourceVersion", replaced.orElseThrow().version());
        } else {
            // The server adds five random characters, and first cuts the prefix so that the name has at most 63.
            metadata.addProperty("generateName", "%04x-%s-%s-".formatted(index, place.driver(), place.node()));
        }
        JsonArray owners = new JsonArray();
        owners.add(owner(place));
        metadata.add("ownerReferences", owners);
        JsonObject pool = new JsonObject();
        pool.addProperty("name", place.node());
        pool.addProperty("generation", generation);
        pool.addProperty("resourceSliceCount", count);
        JsonObject spec = new JsonObject();
        spec.addProperty("driver", place.driver());
        spec.addProperty("nodeName", place.node());
        spec.add("pool", pool);
        JsonObject slice = new JsonObject();
        slice.addProperty("apiVersion", "resource.k8s.io/v1");
        slice.addProperty("kind", "ResourceSlice");
        slice.add("metadata", metadata);
        slice.add("spec", spec);
        String text = slice.toString();
        // The last brackets are those of the spec and of the slice.
        return text.substring(0, text.length() - 2) + "," + content.field() + "}}";
    }

    private static JsonObject owner(Place place) {
        JsonObject owner = new JsonObject();
        owner.addProperty("apiVersion", "v1");
        owner.addProperty("kind", "Node");
        owner.addProperty("name", place.node());
        owner.addProperty("uid", place.nodeUid());
        owner.addProperty("controller", true);
        return owner;
    }

    /** The object with that name; an empty one if there is none. */
    static JsonObject object(JsonObject json, String name) {
        return json.get(name) instanceof JsonObject found ? found : new JsonObject();
    }

    /** The text with that name; an empty one if there is none. */
    static String text(JsonObject json, String name) {
        JsonElement found = json.get(name);
        return found != null && found.isJsonPrimitive() ? found.getAsString() : "";
    }

    private static long number(JsonObject json, String name) {
        String text = text(json, name);
        return text.matches("\\d{1,18}") ? Long.parseLong(text) : 0;
    }
}
