package io.edgeplug.system.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.system.kernel.Ioctl;
import io.edgeplug.system.kernel.Kernel;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is told to the kernel that runs the tests. */
@Timeout(20)
final class SysfsWriteTest {

    @TempDir
    private Path root = Path.of("");

    private Path device = Path.of("");

    @BeforeEach
    void makeDevice() throws IOException {
        device = Files.createDirectories(root.resolve("sys/devices/d0"));
        Files.createDirectories(root.resolve("sys/bus/pci/devices"));
        Files.createSymbolicLink(root.resolve("sys/bus/pci/devices/d0"), Path.of("../../../devices/d0"));
    }

    @Test
    void attributeBehindALinkInTheTreeIsWritten() throws Exception {
        Files.createFile(device.resolve("reset"));

        Sysfs.at(root).write("sys/bus/pci/devices/d0/reset", "1");

        assertThat(device.resolve("reset")).hasContent("1");
    }

    @Test
    void attributeThatIsNotThereIsNotMade() {
        assertThatThrownBy(() -> Sysfs.at(root).write("sys/devices/d0/reset", "1"))
                .isInstanceOf(IOException.class)
                .hasMessage("write reset: No such file or directory");
        assertThat(device.resolve("reset")).doesNotExist();
    }

    @Test
    void attributeThatLeadsOutOfTheTreeIsNotWritten() throws Exception {
        Path elsewhere = Files.createFile(root.resolve("passwd"));
        Files.createSymbolicLink(device.resolve("reset"), elsewhere);

        assertThatThrownBy(() -> Sysfs.at(root).write("sys/devices/d0/reset", "1"))
                .isInstanceOf(IOException.class)
                .hasMessage("write reset: leads out of /sys, to " + elsewhere.toRealPath());
        assertThat(elsewhere).isEmptyFile();
    }

    @Test
    void kernelsReasonIsTold() throws Exception {
        Files.createDirectory(device.resolve("reset"));

        assertThatThrownBy(() -> Sysfs.at(root).write("sys/devices/d0/reset", "1"))
                .hasMessage("write reset: Is a directory");
    }

    @Test
    void interruptedThreadStillWritesAndStaysInterrupted() throws Exception {
        Files.createFile(device.resolve("reset"));

        Thread.currentThread().interrupt();
        Sysfs.at(root).write("sys/devices/d0/reset", "1");

        assertThat(Thread.interrupted()).isTrue();
        assertThat(device.resolve("reset")).hasContent("1");
    }

    @Test
    @NeedsRoot("adds to the random numbers of the kernel")
    void ioctlHandsTheKernelTheAddressOfTheMemory() throws Exception {
        Path random = Path.of("/dev/urandom");
        ByteBuffer memory = ByteBuffer.allocateDirect(16);
        // RNDADDENTROPY of linux/random.h, without credit: the kernel reads what the structure says to be there
        ByteBuffer argument = ByteBuffer.allocate(24).order(ByteOrder.nativeOrder());
        argument.putInt(0).putInt(16);

        assertThat(Kernel.running().ioctl(random, new Ioctl(0x40085203, argument.rewind(), 16, memory)))
                .isZero();
    }

    @Test
    void ioctlThatTheKernelRefusesSaysWhy() throws Exception {
        Files.createDirectories(root.resolve("dev"));
        Path node = Files.createFile(root.resolve("dev/dfl-fme.0"));
        Ioctl call = new Ioctl(0xb680, ByteBuffer.allocate(24), 16, ByteBuffer.allocateDirect(1));

        assertThatThrownBy(() -> Sysfs.at(root).ioctl("dev/dfl-fme.0", call))
                .hasMessage("ioctl /dev/dfl-fme.0: Inappropriate ioctl for device");
        assertThatThrownBy(() -> Sysfs.at(root).ioctl("dev/none", call))
                .hasMessage("ioctl /dev/none: No such file or directory");
        Files.delete(node);
        Files.createSymbolicLink(node, Path.of("/dev/null"));
        assertThatThrownBy(() -> Sysfs.at(root).ioctl("dev/dfl-fme.0", call))
                .hasMessage("ioctl /dev/dfl-fme.0: Too many levels of symbolic links");
    }

    @Test
    @NeedsRoot("adds to the random numbers of the kernel")
    void bytesBehindTheAddressAreThose() throws Exception {
        // what the kernel would find at that address, as procfs shows it
        ByteBuffer memory =
                ByteBuffer.allocateDirect(4).put(new byte[] {1, 2, 3, 4}).flip();
        Ioctl call = new Ioctl(0x40085203, ByteBuffer.allocate(24), 16, memory);
        Kernel.running().ioctl(Path.of("/dev/urandom"), call);
        long address = call.argument().order(ByteOrder.nativeOrder()).getLong(16);
        byte[] seen = new byte[4];
        try (RandomAccessFile mem = new RandomAccessFile("/proc/self/mem", "r")) {
            mem.seek(address);
            mem.readFully(seen);
        }
        assertThat(seen).containsExactly(1, 2, 3, 4);
    }
}
