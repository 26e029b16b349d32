package io.edgeplug.system.files;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/**
 * JSON of another program, read as a stream. Names and strings that are kept have a limit in length, and so has the
 * depth. Skipped parts may have any length.
 */
public final class ForeignJson extends JsonReader {

    /** What other programs write for this one is far less deep. */
    private static final int MAX_DEPTH = 64;

    private final ForeignText text;
    private final int longest;

    private ForeignJson(ForeignText text, int longest) {
        super(text);
        this.text = text;
        this.longest = longest;
        setNestingLimit(MAX_DEPTH);
    }

    /**
     * Opens a file as {@link ForeignFile#open} does.
     *
     * @param longest how many characters a name or a string may have
     */
    public static ForeignJson open(Path file, long most, int longest) throws IOException {
        return new ForeignJson(ForeignText.open(file, most), longest);
    }

    /**
     * JSON that comes from elsewhere.
     *
     * @param most how many characters are read
     */
    public static ForeignJson of(InputStream in, long most, int longest) {
        return new ForeignJson(ForeignText.of(in, most), longest);
    }

    /** Lets another value follow the last one, for which the characters are counted anew. */
    public void expectNext() {
        setStrictness(Strictness.LENIENT);
        text.expectNext();
    }

    /** Reads a field, whose value it must read or skip. */
    public interface Field {
        void read(String name) throws IOException;
    }

    /** Reads an element of an array. */
    public interface Element {
        void read() throws IOException;
    }

    /** Reads each field of the next value. A value that is no object is skipped, as if it had none. */
    public void eachField(Field field) throws IOException {
        if (peek() != JsonToken.BEGIN_OBJECT) {
            skipValue();
            return;
        }
        beginObject();
        while (hasNext()) {
            field.read(nextName());
        }
        endObject();
    }

    /** Reads each element of the next value. A value that is no array is skipped, as if it had none. */
    public void eachElement(Element element) throws IOException {
        if (peek() != JsonToken.BEGIN_ARRAY) {
            skipValue();
            return;
        }
        beginArray();
        while (hasNext()) {
            element.read();
        }
        endArray();
    }

    /** Reads the next value as a text. An object, an array or null is skipped, and is an empty one. */
    public String text() throws IOException {
        return switch (peek()) {
            case STRING, NUMBER -> nextString();
            case BOOLEAN -> String.valueOf(nextBoolean());
            default -> {
                skipValue();
                yield "";
            }
        };
    }

    @Override
    public String nextName() throws IOException {
        text.expectWord(longest);
        String name = super.nextName();
        text.expectAnything();
        return checked(name);
    }

    @Override
    public String nextString() throws IOException {
        text.expectWord(longest);
        String string = super.nextString();
        text.expectAnything();
        return checked(string);
    }

    private String checked(String word) throws IOException {
        if (word.length() > longest) {
            throw ForeignText.wordTooLong(longest);
        }
        return word;
    }
}
