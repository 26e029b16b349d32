package io.edgeplug.system.programs;

import io.edgeplug.system.kernel.KernelCalls;
import io.edgeplug.system.kernel.PlainText;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The pipe for the output of a program, read by a thread of its own until it is closed, even if other processes still
 * have the other end.
 *
 * <p>The JDK's pipe is not used: it reads until nobody can write any more, keeps everything in the heap, and cannot be
 * closed during a read.
 */
final class OutputPipe implements AutoCloseable {

    private static final int MAX_LINE_BYTES = 1000;
    private static final int MAX_LINES = 100;
    private static final int CHUNK = 8192;

    private final FileChannel channel;
    private final int writingEnd;
    private final Thread reader;
    private boolean isWritable = true;

    // Only the reader uses the fields below.
    private final Consumer<String> lines;
    private byte[] line = new byte[MAX_LINE_BYTES];
    private int size;
    private byte[] untold = new byte[MAX_LINE_BYTES];
    private int untoldSize;
    private int told;
    private long more;

    // Only the reader writes the fields below.
    private volatile @Nullable String first;
    private volatile @Nullable String last;

    private OutputPipe(FileChannel channel, int writingEnd, Consumer<String> lines) {
        this.channel = channel;
        this.writingEnd = writingEnd;
        this.lines = lines;
        this.reader = Thread.ofPlatform().name("output").daemon().unstarted(this::read);
    }

    /**
     * Makes a pipe.
     *
     * @param lines gets the first hundred lines, each cut after a thousand bytes, and then the number of further lines
     */
    static OutputPipe open(Consumer<String> lines) throws IOException {
        int[] ends = new int[2];
        if (KernelCalls.pipe2(ends, KernelCalls.O_CLOEXEC) != 0) {
            throw new IOException("no pipe for its output: " + KernelCalls.reason());
        }
        boolean isOpen = false;
        try {
            // It is a channel, because closing a channel ends a read that waits.
            FileChannel channel = FileChannel.open(path(ends[0]), StandardOpenOption.READ);
            isOpen = true;
            return new OutputPipe(channel, ends[1], lines);
        } finally {
            KernelCalls.close(ends[0]);
            if (!isOpen) {
                KernelCalls.close(ends[1]);
            }
        }
    }

    private static Path path(int descriptor) {
        return Path.of("/proc/self/fd/" + descriptor);
    }

    /** The file to open for writing, until {@link #begin}. */
    File file() {
        return path(writingEnd).toFile();
    }

    /** Begins to read, once the program has its end. */
    void begin() {
        giveUpWriting();
        reader.start();
    }

    /** Closes the end for writing. Otherwise the input would never end. */
    private void giveUpWriting() {
        if (isWritable) {
            isWritable = false;
            KernelCalls.close(writingEnd);
        }
    }

    /** Waits until nobody can write any more and everything is read, up to a timeout. */
    void awaitEnd(Duration timeout) throws InterruptedException {
        boolean ignored = reader.getState() == Thread.State.NEW || reader.join(timeout);
    }

    /** The first line that is not blank. */
    Optional<String> first() {
        return Optional.ofNullable(first);
    }

    /** The last line, which is complete at the end. */
    Optional<String> last() {
        return Optional.ofNullable(last);
    }

    private void read() {
        ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
        try {
            while (channel.read(chunk.clear()) >= 0) {
                chunk.flip();
                while (chunk.hasRemaining()) {
                    take(chunk.get());
                }
            }
        } catch (IOException e) {
            // The pipe was closed, so further output is not wanted.
        }
        endLine();
        if (more > 0) {
            last = text(untold, untoldSize);
            lines.accept("… and " + more + " more lines");
        }
    }

    private void take(byte octet) {
        if (octet == '\n') {
            endLine();
        } else if (size < MAX_LINE_BYTES) {
            line[size++] = octet;
        }
    }

    /** Lines that are not reported are not decoded either, because a program can write millions of them in a second. */
    private void endLine() {
        if (told == MAX_LINES) {
            if (size > 0) {
                more++;
                byte[] other = untold;
                untold = line;
                untoldSize = size;
                line = other;
            }
        } else {
            String text = text(line, size);
            if (!text.isEmpty()) {
                told++;
                first = first == null ? text : first;
                last = text;
                lines.accept(text);
            }
        }
        size = 0;
    }

    /** One line, safe to show anywhere. */
    private static String text(byte[] line, int size) {
        String text = new String(line, 0, size, StandardCharsets.UTF_8);
        return PlainText.of(text.replace('\t', ' ').strip());
    }

    /** Ends the reader too, at once. */
    @Override
    public void close() throws IOException {
        giveUpWriting();
        channel.close();
    }
}
