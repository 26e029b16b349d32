package io.edgeplug.system.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FilePagesTest {

    @TempDir
    Path directory;

    /** This test's own JVM has libraries in whose read-only data the loader has put addresses: it would not go on. */
    @Test
    void onlyWhatTheFileStillHasIsGivenBack() throws Exception {
        byte[] content = new byte[1 << 20];
        content[content.length - 1] = 7;
        Path file = Files.write(directory.resolve("classes.aot"), content);
        try (FileChannel opened = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer clean =
                    opened.map(FileChannel.MapMode.READ_ONLY, 0, content.length).load();
            MappedByteBuffer changed =
                    opened.map(FileChannel.MapMode.PRIVATE, 0, content.length).load();
            changed.put(0, (byte) 9);
            assertThat(residentKib(file)).containsExactlyInAnyOrder(1024L, 1024L);

            FilePages.giveBack();

            assertThat(residentKib(file)).containsExactlyInAnyOrder(0L, 1024L);
            assertThat(clean.get(content.length - 1)).isEqualTo((byte) 7);
            assertThat(changed.get(0)).isEqualTo((byte) 9);
        }
    }

    /** A library that is being loaded, and a buffer that is freed, may be other memory by the time of the call. */
    @Test
    void filesThatComeAndGoAreLeftAlone() throws Exception {
        byte[] content = new byte[1 << 20];
        Path file = Files.write(directory.resolve("libother.so"), content);
        try (FileChannel opened = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer buffer =
                    opened.map(FileChannel.MapMode.READ_ONLY, 0, content.length).load();

            FilePages.giveBack();

            assertThat(residentKib(file)).containsExactly(1024L);
            assertThat(buffer.get(0)).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0 kB, 0 kB, 1",
        "4 kB, 0 kB, 0",
        // The kernel counts a changed page that it has swapped out among no anonymous ones.
        "0 kB, 4 kB, 0",
    })
    void changedPagesAreKeptAlsoIfTheyAreSwappedOut(String anonymous, String swap, int given) {
        List<String> smaps = List.of(
                "7f0000001000-7f0000003000 r--p 00010000 08:01 77     /usr/lib/edgeplug/runtime/lib/server/libjvm.so",
                "Rss:                   8 kB",
                "Anonymous:             " + anonymous,
                "Swap:                  " + swap,
                "SwapPss:               " + swap,
                "VmFlags: rd mr mw me ");

        assertThat(FilePages.clean(smaps))
                .isEqualTo(Collections.nCopies(given, new FilePages.Range(0x7f0000001000L, 0x2000)));
    }

    /** The KiB that each mapping of a file has in memory. */
    private static List<Long> residentKib(Path file) throws IOException {
        List<String> lines = Files.readAllLines(Path.of("/proc/self/smaps"));
        return lines.stream()
                .filter(line -> line.endsWith(" " + file))
                .map(line -> lines.subList(lines.indexOf(line), lines.size()).stream()
                        .filter(one -> one.startsWith("Rss:"))
                        .findFirst()
                        .orElseThrow())
                .map(rss -> Long.parseLong(rss.replaceAll("\\D", "")))
                .toList();
    }
}
