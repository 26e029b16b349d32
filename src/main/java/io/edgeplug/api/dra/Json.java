package io.edgeplug.api.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.stream.Stream;

/** Makes objects of the cluster, and reads them whatever their form. */
final class Json {

    /** The longest name of Kubernetes. */
    static final int MAX_NAME = 253;

    private Json() {}

    /** An object of names and values in turn. A value is a text, a number, a boolean or JSON. */
    static JsonObject of(Object... namesAndValues) {
        JsonObject object = new JsonObject();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.add(String.valueOf(namesAndValues[i]), element(namesAndValues[i + 1]));
        }
        return object;
    }

    private static JsonElement element(Object value) {
        return switch (value) {
            case JsonElement json -> json;
            case Number number -> new JsonPrimitive(number);
            case Boolean truth -> new JsonPrimitive(truth);
            default -> new JsonPrimitive(value.toString());
        };
    }

    static JsonArray array(Stream<JsonObject> elements) {
        JsonArray array = new JsonArray();
        elements.forEach(array::add);
        return array;
    }

    /** The object with that name; an empty one if there is none. */
    static JsonObject object(JsonObject json, String name) {
        return json.get(name) instanceof JsonObject found ? found : new JsonObject();
    }

    /** The objects in the array with that name; none if there is no array. */
    static Stream<JsonObject> objects(JsonObject json, String name) {
        return json.get(name) instanceof JsonArray array
                ? array.asList().stream().filter(JsonElement::isJsonObject).map(JsonElement::getAsJsonObject)
                : Stream.of();
    }

    /** The texts in the array with that name; none if there is no array. */
    static Stream<String> texts(JsonObject json, String name) {
        return json.get(name) instanceof JsonArray array
                ? array.asList().stream().filter(JsonElement::isJsonPrimitive).map(JsonElement::getAsString)
                : Stream.of();
    }

    /** The text with that name; an empty one if there is none. */
    static String text(JsonObject json, String name) {
        JsonElement found = json.get(name);
        return found != null && found.isJsonPrimitive() ? found.getAsString() : "";
    }

    /** The beginning of that text, which may be long. */
    static String text(JsonObject json, String name, int most) {
        return start(text(json, name), most);
    }

    static String start(String text, int most) {
        return text.substring(0, Math.min(text.length(), most));
    }
}
