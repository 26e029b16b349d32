package io.edgeplug.node.prepare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Images that are copied side by side, in what may be memory. */
@Timeout(30)
final class BitstreamTest {

    private static final int SIZE = 60;
    private static final int ROOM = 100;

    @TempDir
    private Path directory = Path.of("");

    private final Semaphore room = new Semaphore(ROOM, true);
    private Path image = directory;
    private Path copies = directory;
    private String sha256 = "";

    @BeforeEach
    void write() throws Exception {
        image = directory.resolve("image");
        copies = directory.resolve("copies");
        byte[] bytes = new byte[SIZE];
        Files.write(image, bytes);
        sha256 = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    @Test
    void imagesThatTogetherAreTooLargeAreCopiedOneAfterTheOther() throws Exception {
        Bitstream first = Bitstream.copy(image, sha256, copies, room);
        CompletableFuture<Bitstream> second = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> {
            try {
                second.complete(Bitstream.copy(image, sha256, copies, room));
            } catch (IOException | InterruptedException e) {
                second.completeExceptionally(e);
            }
        });
        while (!room.hasQueuedThreads() && !second.isDone()) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(copies.toFile().list()).hasSize(1);

        first.close();

        try (Bitstream next = second.get(10, TimeUnit.SECONDS)) {
            assertThat(next.path()).hasSize(SIZE);
            assertThat(room.availablePermits()).isEqualTo(ROOM - SIZE);
        }
        assertThat(room.availablePermits()).isEqualTo(ROOM);
        assertThat(copies).isEmptyDirectory();
    }

    @Test
    void imageThatIsRefusedTakesUpNoRoom() {
        assertThatThrownBy(() -> Bitstream.copy(image, "0".repeat(64), copies, room))
                .hasMessageContaining("its sha256 is");

        assertThat(room.availablePermits()).isEqualTo(ROOM);
        assertThat(copies).isEmptyDirectory();
    }
}
