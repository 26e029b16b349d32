package io.edgeplug.system.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;

/** A person must know which disk is full. */
final class FileFailureTest {

    private static final Path FULL = Path.of("/dev/full");

    @Test
    void fullDiskIsToldWithTheFile() throws Exception {
        try (FileChannel file = FileChannel.open(FULL, StandardOpenOption.WRITE)) {
            IOException failure = catchThrowableOfType(IOException.class, () -> file.write(ByteBuffer.allocate(1)));

            assertThat(failure).hasMessage("No space left on device");
            assertThat(FileFailure.named(FULL, failure)).hasMessage("/dev/full: No space left on device");
        }
    }

    @Test
    void failureThatNamesItsFileStaysAsItIs() {
        IOException failure =
                catchThrowableOfType(IOException.class, () -> Files.createDirectory(FULL.resolve("below")));

        assertThat(FileFailure.named(FULL, failure)).isSameAs(failure);
    }
}
