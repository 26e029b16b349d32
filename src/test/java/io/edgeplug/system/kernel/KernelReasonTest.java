package io.edgeplug.system.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The kind of a failure, from the kernel's words as the JDK and Netty pass them on. */
final class KernelReasonTest {

    /** A comparison with words that begin as the kernel's do. One text of the kubelet does so too. */
    private static final Pattern COMPARISON = Pattern.compile(
            "(equals|contains|startsWith|endsWith)\\(\"(?!Unsupported version)[A-Z][a-z]+ [a-z]+[^\"]*\"");

    @Test
    void kindIsThatOfTheFailureOrOfItsFirstCauseThatHasOne() {
        assertThat(KernelReason.of(new AccessDeniedException("/x"))).isEqualTo(KernelReason.DENIED);
        assertThat(KernelReason.of(new FileNotFoundException("/x"))).isEqualTo(KernelReason.ABSENT);
        assertThat(KernelReason.of(new FileSystemException("/x", null, "Read-only file system")))
                .isEqualTo(KernelReason.READ_ONLY);
        assertThat(KernelReason.of(new IOException("No such device"))).isEqualTo(KernelReason.ABSENT);
        assertThat(KernelReason.of(new IOException("write sriov_numvfs: Device or resource busy")))
                .isEqualTo(KernelReason.BUSY);
        assertThat(KernelReason.of(new IOException("cannot: it failed", new IOException("Permission denied"))))
                .isEqualTo(KernelReason.DENIED);
        assertThat(KernelReason.of(new IOException("there is No such device here")))
                .isEqualTo(KernelReason.OTHER);
        assertThat(KernelReason.of(new IOException((String) null))).isEqualTo(KernelReason.OTHER);
    }

    /** A person must know which disk is full. */
    @Test
    void fullDiskIsToldWithTheFile() throws Exception {
        Path full = Path.of("/dev/full");
        try (FileChannel file = FileChannel.open(full, StandardOpenOption.WRITE)) {
            IOException failure = catchThrowableOfType(IOException.class, () -> file.write(ByteBuffer.allocate(1)));

            assertThat(failure).hasMessage("No space left on device");
            assertThat(KernelReason.named(full, failure)).hasMessage("/dev/full: No space left on device");
        }
    }

    @Test
    void failureThatNamesItsFileStaysAsItIs() {
        IOException failure = new AccessDeniedException("/x");

        assertThat(KernelReason.named(Path.of("/x"), failure)).isSameAs(failure);
    }

    @Test
    void wordsOfNettyAreThoseBetweenItsCallAndTheAddress() {
        IOException refused =
                new ConnectException("connect(..) failed with error(-111): Connection refused: /run/kubelet.sock");

        assertThat(KernelReason.of(refused)).isEqualTo(KernelReason.REFUSED);
        assertThat(KernelReason.rootWords(new IOException("outer", refused))).isEqualTo("Connection refused");
    }

    @Test
    void noFailureIsWithoutWords() {
        assertThat(KernelReason.words(new DirectoryNotEmptyException("/x"))).isEqualTo("Directory not empty");
        assertThat(KernelReason.words(new FileSystemException("/x"))).isEqualTo("/x");
        assertThat(KernelReason.rootWords(new IOException((String) null))).isEqualTo("java.io.IOException");
    }

    @Test
    void sandboxIsNamedWhereItAllowsNoIp() {
        IOException family =
                new IOException("socket(..) failed with error(-97): Address family not supported by protocol");

        assertThat(KernelReason.adviceOnIp(family, "dra.md"))
                .isEqualTo("the sandbox of the service allows no IP; /usr/share/doc/edgeplug/dra.md has the drop-in "
                        + "that does: Address family not supported by protocol");
        assertThat(KernelReason.adviceOnIp(new IOException("Connection refused"), "dra.md"))
                .isEqualTo("Connection refused");
    }

    @Test
    void nobodyElseComparesTheKernelsWords() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
            List<String> found = files.filter(file -> file.toString().endsWith(".java"))
                    .flatMap(file -> comparisons(file).stream())
                    .toList();

            assertThat(found).isEmpty();
        }
    }

    private static List<String> comparisons(Path file) {
        try {
            return COMPARISON
                    .matcher(Files.readString(file))
                    .results()
                    .map(found -> file + ": " + found.group())
                    .toList();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
