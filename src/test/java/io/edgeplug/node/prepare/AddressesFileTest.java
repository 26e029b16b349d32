package io.edgeplug.node.prepare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.edgeplug.PackageJvm;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.kernel.LinkAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Addresses that an administrator gives to devices, in a file that may have anything. */
@Timeout(100)
final class AddressesFileTest {

    private static final String FILE = "/addresses";

    @TempDir
    private Path root = Path.of("");

    private List<LinkAddress> read(String text, String device) throws IOException {
        Files.writeString(root.resolve("addresses"), text);
        return AddressesFile.read(Sysfs.at(root), FILE, device);
    }

    @Test
    void linesOfOtherDevicesAreLookedAtToo() throws Exception {
        assertThat(read("# all\na 192.0.2.1/24 2001:db8::1/64 # first\n\n b\t192.0.2.2/24", "b"))
                .hasToString("[192.0.2.2/24]");
        assertThatIOException()
                .isThrownBy(() -> read("a 192.0.2.0/24\nb 192.0.2.2/24\n", "b"))
                .withMessageStartingWith("/addresses: line 1: \"192.0.2.0/24\" is not an address of a host");
        assertThatIOException()
                .isThrownBy(() -> read("b 192.0.2.1/24\nb 192.0.2.2/24\n", "b"))
                .withMessage("/addresses: line 2: b has a line already");
        assertThat(read("a 192.0.2.1/24\na 192.0.2.2/24\nb 192.0.2.3/24", "b")).hasSize(1);
        assertThatIOException()
                .isThrownBy(() -> AddressesFile.check(Sysfs.at(root), FILE))
                .withMessage("/addresses: line 2: a has a line already");
        assertThatIOException()
                .isThrownBy(() -> read("b\n", "b"))
                .withMessage("/addresses: line 1: b has no address; a line is DEVICE ADDRESS/PREFIX ...");
    }

    @Test
    void lineWithoutAnEndIsRefused() {
        assertThatIOException()
                .isThrownBy(() -> read("b 192.0.2.2/24\nb" + " 192.0.2.1/24".repeat(50_000), "b"))
                .withMessage("/addresses: line 2: has more than 4096 characters");
    }

    @Test
    void whatIsNoFileIsRefused() throws Exception {
        Files.createDirectory(root.resolve("addresses"));

        assertThatIOException()
                .isThrownBy(() -> AddressesFile.check(Sysfs.at(root), FILE))
                .withMessage("/addresses: is a directory, not a file");
    }

    /** As many as are prepared at a time. */
    @Test
    void fileOfAllDevicesIsReadForManyOfThemAtATime() throws Exception {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            text.append("0000:%02x:%02x.0 10.%d.%d.7/8 2001:db8::%x/64\n"
                    .formatted(i >> 8, i & 255, i >> 8, i & 255, i + 1));
        }
        Files.writeString(root.resolve("addresses"), text);

        PackageJvm.End end = PackageJvm.run(ManyReaders.class, root.toString());

        assertThat(end.output()).isEqualTo("read\n");
        assertThat(end.exit()).isZero();
    }

    static final class ManyReaders {

        private ManyReaders() {}

        public static void main(String[] args) throws Exception {
            Thread.setDefaultUncaughtExceptionHandler(
                    (thread, bug) -> Runtime.getRuntime().halt(70));
            CountDownLatch ready = new CountDownLatch(16);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                threads.add(Thread.ofPlatform().start(() -> {
                    ready.countDown();
                    try {
                        ready.await();
                        for (int j = 0; j < 3; j++) {
                            if (AddressesFile.read(Sysfs.at(Path.of(args[0])), FILE, "0000:11:22.0")
                                            .size()
                                    != 2) {
                                Runtime.getRuntime().halt(71);
                            }
                        }
                    } catch (IOException | InterruptedException e) {
                        Runtime.getRuntime().halt(72);
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            System.out.println("read");
        }
    }
}
