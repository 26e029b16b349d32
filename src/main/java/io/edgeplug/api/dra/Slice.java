package io.edgeplug.api.dra;

import com.google.gson.JsonObject;
import io.edgeplug.system.files.JsonTree;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A ResourceSlice of this node on the API server.
 *
 * @param version its {@code resourceVersion}, which an update must name
 * @param index its place among all slices, from 0; -1 if its name has none
 */
record Slice(String name, String uid, String version, int index, long generation, long count, SliceContent content) {

    /** How much memory a slice may take as a tree. One of 64 devices takes less than a megabyte. */
    static final int MAX_TREE = 3 << 20;

    /** What an answer has besides the content: names, owners and what the server notes about fields. */
    private static final int MORE = 64 << 10;

    /** The name, UID and version that are kept of an answer have a few hundred bytes. */
    private static final int MORE_KEPT = 2 << 10;

    private static final Pattern INDEX = Pattern.compile("([0-9a-f]{4})-.*");

    /**
     * The place of slices.
     *
     * @param node the name of the node, and of the pool
     * @param nodeUid the UID of the node; its slices are deleted together with it
     */
    record Place(String driver, String node, String nodeUid) {}

    Slice withContent(SliceContent other) {
        return new Slice(name, uid, version, index, generation, count, other);
    }

    /** Reads a slice. */
    static Slice of(JsonObject json) {
        return of(json, SliceContent.of(Json.object(json, "spec")));
    }

    /**
     * Reads the answer to a slice that was sent. An answer mostly has the content as it was sent, and then that is not
     * parsed, which would take longest.
     *
     * @throws IOException if the answer is no JSON, or has much more than was sent
     */
    static Slice of(String answer, SliceContent sent) throws IOException {
        int at = answer.indexOf(sent.field());
        Slice slice;
        if (at < 0) {
            slice = of(tree(answer));
        } else {
            String rest = answer.substring(0, at)
                    + sent.emptyField()
                    + answer.substring(at + sent.field().length());
            slice = of(tree(rest), sent);
        }
        // A server drops fields, and may fill in a few. What it answers is kept, for each of hundreds of slices.
        if (slice.memory() > sent.memory() + sent.memory() / 2 + MORE_KEPT) {
            throw new IOException("the API server's answer has much more than the slice that was sent");
        }
        return slice;
    }

    private static JsonObject tree(String text) throws IOException {
        return ApiReading.object(
                new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
                json -> new JsonTree(json, MAX_TREE).nextObject());
    }

    /** Reads the answer to a slice that was sent, which is about as long. */
    static ApiReading<Slice> reading(SliceContent sent) {
        return ApiReading.text(2 * sent.json().length() + MORE, answer -> of(answer, sent));
    }

    private static Slice of(JsonObject json, SliceContent content) {
        JsonObject metadata = Json.object(json, "metadata");
        JsonObject pool = Json.object(Json.object(json, "spec"), "pool");
        String name = Json.text(metadata, "name");
        Matcher index = INDEX.matcher(name);
        return new Slice(
                name,
                Json.text(metadata, "uid"),
                Json.text(metadata, "resourceVersion"),
                index.matches() ? Integer.parseInt(index.group(1), 16) : -1,
                number(pool, "generation"),
                number(pool, "resourceSliceCount"),
                content);
    }

    /** The JSON of a slice: a new one, or one that replaces another. The content is not parsed, which would take longest. */
    static String json(
            Place place, int index, long generation, long count, SliceContent content, @Nullable Slice replaced) {
        // The server adds five random characters, and first cuts the prefix so that the name has at most 63.
        JsonObject metadata = replaced == null
                ? Json.of("generateName", "%04x-%s-%s-".formatted(index, place.driver(), place.node()))
                : Json.of("name", replaced.name(), "uid", replaced.uid(), "resourceVersion", replaced.version());
        JsonObject owner = Json.of("apiVersion", "v1", "kind", "Node", "name", place.node(), "uid", place.nodeUid());
        owner.addProperty("controller", true);
        metadata.add("ownerReferences", Json.array(Stream.of(owner)));
        JsonObject pool = Json.of("name", place.node(), "generation", generation, "resourceSliceCount", count);
        JsonObject spec = Json.of("driver", place.driver(), "nodeName", place.node(), "pool", pool);
        JsonObject slice = Json.of(
                "apiVersion", "resource.k8s.io/v1", "kind", "ResourceSlice", "metadata", metadata, "spec", spec);
        String text = slice.toString();
        // The last brackets are those of the spec and of the slice.
        return text.substring(0, text.length() - 2) + "," + content.field() + "}}";
    }

    /** The bytes of its texts. In memory, a text with other than Latin characters may take twice that. */
    int memory() {
        return Stream.of(name, uid, version)
                        .mapToInt(text -> text.getBytes(StandardCharsets.UTF_8).length)
                        .sum()
                + content.memory();
    }

    private static long number(JsonObject json, String name) {
        String text = Json.text(json, name);
        return text.matches("\\d{1,18}") ? Long.parseLong(text) : 0;
    }
}
