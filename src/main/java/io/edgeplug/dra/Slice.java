package io.edgeplug.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A ResourceSlice of this node's as the API server has it.
 *
 * @param version its {@code resourceVersion}, which an update must name
 * @param index its place in the order of all, from 0; -1 if its name tells none
 * @param content as {@link Pool#content} has it
 */
record Slice(String name, String uid, String version, int index, long generation, long count, String content) {

    private static final Pattern INDEX = Pattern.compile("([0-9a-f]{4})-.*");

    /**
     * Where slices belong.
     *
     * @param node the name of the node, and of the pool
     * @param nodeUid which removes them with the node
     */
    record Place(String driver, String node, String nodeUid) {}

    /** A slice as an answer has it. */
    static Slice of(JsonObject json) {
        JsonObject metadata = object(json, "metadata");
        JsonObject spec = object(json, "spec");
        JsonObject pool = object(spec, "pool");
        String name = text(metadata, "name");
        Matcher index = INDEX.matcher(name);
        return new Slice(
                name,
                text(metadata, "uid"),
                text(metadata, "resourceVersion"),
                index.matches() ? Integer.parseInt(index.group(1), 16) : -1,
                number(pool, "generation"),
                number(pool, "resourceSliceCount"),
                Pool.content(spec));
    }

    /** What to send for a slice: a new one, or one that replaces that. */
    static JsonObject json(
            Place place, int index, long generation, long count, String content, Optional<Slice> replaced) {
        JsonObject metadata = new JsonObject();
        if (replaced.isPresent()) {
            metadata.addProperty("name", replaced.orElseThrow().name());
            metadata.addProperty("uid", replaced.orElseThrow().uid());
            metadata.addProperty("resourceVersion", replaced.orElseThrow().version());
        } else {
            // the server adds five random characters, and cuts off what makes a name longer than 63
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
        // a slice with counters must not even have an empty list of devices
        JsonParser.parseString(content).getAsJsonObject().asMap().forEach(spec::add);
        JsonObject slice = new JsonObject();
        slice.addProperty("apiVersion", "resource.k8s.io/v1");
        slice.addProperty("kind", "ResourceSlice");
        slice.add("metadata", metadata);
        slice.add("spec", spec);
        return slice;
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

    /** The object of that name; an empty one if there is none. */
    static JsonObject object(JsonObject json, String name) {
        return json.get(name) instanceof JsonObject found ? found : new JsonObject();
    }

    /** The text of that name; an empty one if there is none. */
    static String text(JsonObject json, String name) {
        JsonElement found = json.get(name);
        return found != null && found.isJsonPrimitive() ? found.getAsString() : "";
    }

    private static long number(JsonObject json, String name) {
        String text = text(json, name);
        return text.matches("\\d{1,18}") ? Long.parseLong(text) : 0;
    }
}
