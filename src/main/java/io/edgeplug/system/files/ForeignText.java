package io.edgeplug.system.files;

import io.edgeplug.system.files.ForeignFile.TooLargeException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A text of another program, read up to a limit. One thread at a time. */
public final class ForeignText extends Reader {

    /** How far a parser may have read ahead when a word begins, and how much it reads at once. */
    private static final int AHEAD = 1024;

    private static final int ANY = Integer.MAX_VALUE;

    private final Reader text;
    private final long most;
    private long left;

    /** How many characters may be read before the word must have ended. */
    private int word = ANY;

    private int longest;

    private ForeignText(Reader text, long most) {
        this.text = text;
        this.most = most;
        this.left = most;
    }

    /**
     * Opens a file as {@link ForeignFile#open} does.
     *
     * @param most how many bytes it may have, and how many characters are read
     */
    public static ForeignText open(Path file, long most) throws IOException {
        return of(ForeignFile.open(file, most), most);
    }

    /** A text that comes from elsewhere. */
    static ForeignText of(InputStream in, long most) {
        return new ForeignText(new InputStreamReader(in, StandardCharsets.UTF_8), most);
    }

    /** Begins to count the characters anew. */
    void expectNext() {
        left = most;
    }

    /** Sets how many characters the next word may have, because a parser keeps all of it. */
    void expectWord(int characters) {
        longest = characters;
        word = characters + AHEAD;
    }

    /** Lets the next part have any length, because it is not kept. */
    void expectAnything() {
        word = ANY;
    }

    @Override
    public int read(char[] buffer, int offset, int length) throws IOException {
        if (word == 0) {
            throw wordTooLong(longest);
        }
        int read = text.read(buffer, offset, Math.min(length, word));
        if (read > 0) {
            left -= read;
            word -= word == ANY ? 0 : read;
        }
        if (left < 0) {
            throw TooLargeException.of(most);
        }
        return read;
    }

    @Override
    public void close() throws IOException {
        text.close();
    }

    static TooLargeException wordTooLong(int longest) {
        return new TooLargeException("has a name or a string of more than " + longest + " characters");
    }
}
