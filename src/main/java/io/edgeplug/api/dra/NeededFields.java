package io.edgeplug.api.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.edgeplug.system.files.ForeignJson;
import io.edgeplug.system.files.JsonTree;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BiPredicate;

/**
 * The fields that are needed of an object, which is read as a stream. Most of the rest is written by pods' owners: labels,
 * annotations, requests, and parameters for other drivers.
 */
final class NeededFields {

    private final Set<String> needed;

    /** What leads to a needed field. */
    private final Set<String> ways = new HashSet<>();

    /** Fields with paths such as {@code status/results} or, in each object of an array, {@code config[]/requests}. */
    NeededFields(String... paths) {
        this.needed = Set.of(paths);
        for (String path : paths) {
            for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
                ways.add(path.substring(0, slash + 1));
            }
        }
    }

    /**
     * Returns the next object without what is not needed.
     *
     * @param most how many bytes of memory the rest may take
     * @param also whether a field is needed beside those of its object that were read before it, by its path
     */
    JsonObject read(ForeignJson json, int most, BiPredicate<String, JsonObject> also) throws IOException {
        return object("", json, new JsonTree(json, most), also);
    }

    /** The same if all of these fields are needed in any case. */
    JsonObject read(ForeignJson json, int most) throws IOException {
        return read(json, most, (path, before) -> true);
    }

    private JsonObject object(String way, ForeignJson json, JsonTree values, BiPredicate<String, JsonObject> also)
            throws IOException {
        JsonObject object = values.newObject();
        json.eachField(name -> {
            String path = way + name;
            if (needed.contains(path) && also.test(path, object)) {
                object.add(name, values.next());
            } else if (ways.contains(path + "/")) {
                object.add(name, object(path + "/", json, values, also));
            } else if (ways.contains(path + "[]/")) {
                JsonArray array = values.newArray();
                json.eachElement(() -> array.add(object(path + "[]/", json, values, also)));
                object.add(name, array);
            } else {
                json.skipValue();
            }
        });
        return object;
    }
}
