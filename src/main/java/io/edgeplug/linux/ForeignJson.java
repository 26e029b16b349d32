package io.edgeplug.linux;

import com.google.gson.stream.JsonReader;
import java.io.IOException;
import java.nio.file.Path;

/**
 * JSON in a file of another program, read as a stream. Names and strings that are kept have a limit in length. Skipped
 * parts may have any length.
 */
public final class ForeignJson extends JsonReader {

    private final ForeignText text;
    private final int longest;

    private ForeignJson(ForeignText text, int longest) {
        super(text);
        this.text = text;
        this.longest = longest;
    }

    /**
     * Opens a file as {@link ForeignFile#open} does.
     *
     * @param longest how many characters a name or a string may have
     */
    public static ForeignJson open(Path file, long most, int longest) throws IOException {
        return new ForeignJson(ForeignText.open(file, most), longest);
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
