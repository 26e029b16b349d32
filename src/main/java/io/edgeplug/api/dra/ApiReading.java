package io.edgeplug.api.dra;

import com.google.gson.JsonObject;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.MalformedJsonException;
import io.edgeplug.system.files.ForeignFile.TooLargeException;
import io.edgeplug.system.files.ForeignJson;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/**
 * How an answer of the API server is read: as a stream, of which only the needed part is kept.
 *
 * @param memory an upper bound of the memory that is needed for that, in bytes
 * @param parse makes the result
 */
record ApiReading<T>(int memory, Parse<InputStream, T> parse) {

    /** The slices of 4,096 devices are about 6 MiB. Longer answers are mostly skipped, which costs only time. */
    private static final int MAX_ANSWER = 16 << 20;

    /** A page of 100 objects, each as large as the API server stores one at the most. Most of it is skipped. */
    private static final int MAX_PAGE = 256 << 20;

    /** How long a name or a text may be that is kept. Labels and the like may be longer, and are skipped. */
    static final int MAX_WORD = 16 << 10;

    /** What a reading takes that keeps a few names only. */
    private static final int FEW_NAMES = 64 << 10;

    /** A text takes up to two bytes for a character, and that twice while it is put together. */
    private static final int OF_CHARACTER = 4;

    private static final NeededFields UID = new NeededFields("metadata/uid");
    private static final NeededFields LIST = new NeededFields("resourceVersion", "continue");

    /** Makes something of an answer, or of its JSON or text. If that is of another form, it may throw what a parser throws. */
    interface Parse<A, T> {
        T read(A answer) throws IOException;
    }

    /** Reads an object. */
    static <T> ApiReading<T> json(int memory, Parse<ForeignJson, T> parse) {
        return new ApiReading<>(memory, body -> object(body, parse));
    }

    /** The same for a page of a list of objects that may be large. */
    static <T> ApiReading<T> pages(int memory, Parse<ForeignJson, T> parse) {
        return new ApiReading<>(memory, body -> object(body, MAX_PAGE, parse));
    }

    /** Reads no more than that there is an answer. */
    static ApiReading<Boolean> nothing() {
        return new ApiReading<>(0, body -> true);
    }

    static ApiReading<String> uid() {
        return fields(UID, object -> Json.text(Json.object(object, "metadata"), "uid"));
    }

    /** Makes something of these fields of an object, which have a few names only. */
    static <T> ApiReading<T> fields(NeededFields needed, Function<JsonObject, T> made) {
        return json(FEW_NAMES, json -> made.apply(needed.read(json, FEW_NAMES)));
    }

    /** Reads a list item by item, and returns what is needed of its metadata. */
    static JsonObject list(ForeignJson json, ForeignJson.Element item) throws IOException {
        JsonObject list = new JsonObject();
        json.eachField(name -> {
            switch (name) {
                case "metadata" -> list.add(name, LIST.read(json, FEW_NAMES));
                case "items" -> json.eachElement(item);
                default -> json.skipValue();
            }
        });
        return Json.object(list, "metadata");
    }

    /**
     * Reads the whole text of an answer.
     *
     * @param most how many bytes it may have
     */
    static <T> ApiReading<T> text(int most, Parse<String, T> parse) {
        return new ApiReading<>(most * OF_CHARACTER, body -> {
            byte[] text = body.readNBytes(most + 1);
            if (text.length > most) {
                throw new IOException(
                        "the API server's answer has more than the " + (most >> 10) + " KiB that are read");
            }
            return parse.read(new String(text, StandardCharsets.UTF_8));
        });
    }

    /**
     * Reads the object in a stream.
     *
     * @throws IOException if there is none, or it is larger than what is read
     */
    static <T> T object(InputStream in, Parse<ForeignJson, T> parse) throws IOException {
        return object(in, MAX_ANSWER, parse);
    }

    private static <T> T object(InputStream in, int most, Parse<ForeignJson, T> parse) throws IOException {
        try {
            ForeignJson json = ForeignJson.of(in, most, MAX_WORD);
            if (json.peek() != JsonToken.BEGIN_OBJECT) {
                throw new MalformedJsonException("no object");
            }
            return parse.read(json);
        } catch (MalformedJsonException | EOFException | IllegalStateException | NumberFormatException e) {
            throw new IOException(
                    "the API server answers with what is no JSON, or not the object that was asked for", e);
        } catch (TooLargeException e) {
            throw new IOException("the API server's answer " + e.getMessage(), e);
        }
    }
}
