package io.edgeplug.system.files;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.gson.stream.JsonReader;
import io.edgeplug.system.files.ForeignFile.TooLargeException;
import java.io.IOException;
import java.math.BigDecimal;

/** Reads a value of JSON that is needed as a whole, up to a limit of the memory that it takes. For one reader. */
public final class JsonTree {

    /** What an object, an array or a value takes, with its place in the one around it. */
    private static final int OF_VALUE = 150;

    /** Longer numbers take long to convert, and nobody writes them. */
    private static final int LONGEST_NUMBER = 100;

    /** Java may need two bytes for a character. */
    private static final int OF_CHARACTER = 2;

    private final JsonReader json;
    private final int most;
    private int left;

    /**
     * A reader of several values.
     *
     * @param json limits the depth
     * @param most how many bytes of memory they may take together
     */
    public JsonTree(JsonReader json, int most) {
        this.json = json;
        this.most = most;
        this.left = most;
    }

    /**
     * Reads the next value.
     *
     * @throws TooLargeException if the values take more memory
     */
    public JsonElement next() throws IOException {
        take(OF_VALUE);
        return switch (json.peek()) {
            case BEGIN_OBJECT -> object();
            case BEGIN_ARRAY -> array();
            case STRING -> new JsonPrimitive(string());
            case NUMBER -> new JsonPrimitive(number());
            case BOOLEAN -> new JsonPrimitive(json.nextBoolean());
            default -> {
                json.nextNull();
                yield JsonNull.INSTANCE;
            }
        };
    }

    /** Reads the next value, which is an object. Anything else counts as an empty one. */
    public JsonObject nextObject() throws IOException {
        return next() instanceof JsonObject object ? object : new JsonObject();
    }

    /** An empty object for values that are read one by one. It counts as if it were one of them. */
    public JsonObject newObject() throws TooLargeException {
        take(OF_VALUE);
        return new JsonObject();
    }

    /** An empty array for values that are read one by one. It counts as if it were one of them. */
    public JsonArray newArray() throws TooLargeException {
        take(OF_VALUE);
        return new JsonArray();
    }

    private JsonObject object() throws IOException {
        JsonObject object = new JsonObject();
        json.beginObject();
        while (json.hasNext()) {
            String name = json.nextName();
            take(name.length() * OF_CHARACTER);
            object.add(name, next());
        }
        json.endObject();
        return object;
    }

    private JsonArray array() throws IOException {
        JsonArray array = new JsonArray();
        json.beginArray();
        while (json.hasNext()) {
            array.add(next());
        }
        json.endArray();
        return array;
    }

    private String string() throws IOException {
        String string = json.nextString();
        take(string.length() * OF_CHARACTER);
        return string;
    }

    private BigDecimal number() throws IOException {
        String text = string();
        if (text.length() > LONGEST_NUMBER) {
            throw new TooLargeException("has a number of more than " + LONGEST_NUMBER + " characters");
        }
        return new BigDecimal(text);
    }

    private void take(int bytes) throws TooLargeException {
        left -= bytes;
        if (left < 0) {
            throw new TooLargeException(
                    "would take more than the " + (most >> 10) + " KiB of memory that there are for it");
        }
    }
}
