package io.edgeplug.node.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.system.files.Look;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A sysfs that does not tell the truth, made of files that fail as the kernel's do: reading a process's memory at 0 is
 * EIO, a sysctl that is only written EACCES, to root too, the speed of the loopback interface EINVAL, a link to itself
 * ELOOP, a directory EISDIR.
 */
@Timeout(300)
final class LyingSysfsTest {

    private static final Path MACHINES = Path.of("src/test/machines");
    private static final String FUNCTIONS = "sys/bus/pci/devices/";
    private static final PciAddress VF = new PciAddress(0, 0x3b, 1, 0);
    private static final String VENDOR = FUNCTIONS + VF + "/vendor";

    @TempDir
    private Path root = Path.of("");

    /** What an attribute may be instead of itself. */
    private enum Lie {
        GONE,
        INPUT_OUTPUT_ERROR,
        PERMISSION_DENIED,
        INVALID_ARGUMENT,
        LOOP,
        DIRECTORY,
        EMPTY,
        MINUS_ONE,
        NO_ASCII,
        TERMINAL_COMMANDS,
        SIXTY_FOUR_KIB,
        HUGE_NUMBER;

        void tell(Path file) throws IOException {
            Files.delete(file);
            switch (this) {
                case GONE -> {}
                case INPUT_OUTPUT_ERROR -> Files.createSymbolicLink(file, Path.of("/proc/self/mem"));
                case PERMISSION_DENIED -> Files.createSymbolicLink(file, Path.of("/proc/sys/net/ipv4/route/flush"));
                case INVALID_ARGUMENT -> Files.createSymbolicLink(file, Path.of("/sys/class/net/lo/speed"));
                case LOOP -> Files.createSymbolicLink(file, file.getFileName());
                case DIRECTORY -> Files.createDirectory(file);
                case EMPTY -> Files.createFile(file);
                case MINUS_ONE -> Files.writeString(file, "-1\n");
                case NO_ASCII -> Files.write(file, new byte[] {(byte) 0xc3, (byte) 0x28, (byte) 0xff, '\n'});
                case TERMINAL_COMMANDS -> Files.writeString(file, "\033[2J\n0x8086\n");
                case SIXTY_FOUR_KIB -> Files.writeString(file, "7".repeat(1 << 16));
                case HUGE_NUMBER -> Files.writeString(file, "99999999999999999999\n");
            }
        }
    }

    @Test
    void deviceSaysInTheKernelsWordsWhyItCannotBeRead() throws IOException {
        unpackAndScan("two-sockets-e810");
        Path vendor = root.resolve(VENDOR).toRealPath();
        Lie.PERMISSION_DENIED.tell(vendor);
        assertThat(health(VF.toString())).isEqualTo("read vendor: Permission denied");

        Lie.INVALID_ARGUMENT.tell(vendor);
        assertThat(health(VF.toString())).isEqualTo("read vendor: Invalid argument");

        Lie.INPUT_OUTPUT_ERROR.tell(vendor);
        assertThat(health(VF.toString())).isEqualTo("read vendor: Input/output error");
    }

    /** Each attribute that a scan reads tells each lie, one after another, and all others the truth. */
    @ParameterizedTest
    @ValueSource(strings = {"two-sockets-e810", "ib-hca", "dfl-fpga", "zynq", "rxe"})
    void noLieEndsAScanAndEveryOtherDeviceStaysAsItWas(String machine) throws IOException {
        List<String> read = unpackAndScan(machine);
        for (String path : read) {
            Path file = root.resolve(path).toRealPath();
            byte[] truth = Files.readAllBytes(file);
            List<Device> before = scan();
            for (Lie lie : Lie.values()) {
                lie.tell(file);
                List<Device> after = scan();
                assertThat(after)
                        .as("%s of %s", lie, path)
                        .allSatisfy(device -> device.health().problem().ifPresent(LyingSysfsTest::assertReadable));
                assertThat(ids(after)).as("%s of %s", lie, path).containsAll(idsOfOthers(before, path));
                deleteRecursively(file);
                Files.write(file, truth);
            }
        }
    }

    @Test
    void inputOutputErrorIsTheReason() throws IOException {
        unpackAndScan("two-sockets-e810");
        Lie.INPUT_OUTPUT_ERROR.tell(root.resolve(FUNCTIONS + VF + "/numa_node").toRealPath());

        assertThat(health(VF.toString())).isEqualTo("read numa_node: Input/output error");
    }

    @Test
    void valueIsToldInPartAndWithoutWhatATerminalWouldObey() throws IOException {
        unpackAndScan("two-sockets-e810");
        Lie.TERMINAL_COMMANDS.tell(root.resolve(VENDOR).toRealPath());
        assertThat(health(VF.toString())).isEqualTo("vendor is not a number: \"?[2J?0x8086\"");

        Lie.SIXTY_FOUR_KIB.tell(root.resolve(VENDOR).toRealPath());
        assertThat(health(VF.toString()))
                .startsWith("vendor is not a number: \"777")
                .endsWith("777...");
    }

    @Test
    void functionThatLeadsToItselfIsUnhealthyAndTheOthersAreScanned() throws IOException {
        unpackAndScan("two-sockets-e810");
        Path link = root.resolve(FUNCTIONS + VF);
        Files.delete(link);
        Files.createSymbolicLink(link, link.getFileName());
        int others = scan().size() - 1;

        assertThat(health(VF.toString())).startsWith("list " + VF + ": Too many levels of symbolic links");
        assertThat(others).isPositive();
    }

    @ParameterizedTest
    @ValueSource(strings = {"sys/class/fpga_manager/fpga0", "sys/class/fpga_manager/fpga0/device"})
    void fpgaManagerThatCannotBeFollowedEndsNoScan(String path) throws IOException {
        unpackAndScan("zynq");
        Path link = root.resolve(path);
        Files.delete(link);
        Files.createSymbolicLink(link, link.getFileName());

        assertThat(scan()).hasSize(1).noneMatch(device -> device.health().isHealthy());
    }

    @Test
    void softwareRdmaDeviceWhoseInterfaceCannotBeReadIsUnhealthyAlone() throws IOException {
        unpackAndScan("rxe");
        Lie.INPUT_OUTPUT_ERROR.tell(root.resolve("sys/devices/virtual/infiniband/siw0/ports/1/gid_attrs/ndevs/0"));
        Files.createSymbolicLink(root.resolve("sys/devices/virtual/infiniband/siw0/parent"), Path.of("/proc/self/mem"));

        assertThat(health("siw0")).isEqualTo("read parent: Input/output error");
        assertThat(scan())
                .filteredOn(device -> !device.id().equals("siw0"))
                .allMatch(device -> device.health().isHealthy());
    }

    @Test
    void nameThatIsNoTextNamesNoFunctionAndEndsNoScan() throws Exception {
        List<String> read = unpackAndScan("two-sockets-e810");
        assertThat(read).isNotEmpty();
        int before = scan().size();
        // the JDK would not make such names
        for (String directory : List.of(FUNCTIONS, "sys/devices/virtual/infiniband/", FUNCTIONS + VF + "/net/")) {
            Process shell = new ProcessBuilder(
                            "sh",
                            "-c",
                            "mkdir -p \"$(printf '%s\\377\\n\\303\\274 x' \"$1\")\"",
                            "sh",
                            root + "/" + directory)
                    .inheritIO()
                    .start();
            assertThat(shell.waitFor(10, TimeUnit.SECONDS)).isTrue();
            assertThat(shell.exitValue()).isZero();
        }

        assertThat(scan()).hasSize(before);
    }

    /** The paths of the attributes that a scan reads. */
    private List<String> unpackAndScan(String machine) throws IOException {
        SimulatedNode.unpack(Files.readString(MACHINES.resolve(machine).resolve("tree")), root)
                .close();
        TreeSet<String> read = new TreeSet<>();
        Inventory.scan(
                Sysfs.at(root).witnessedBy(look -> {
                    if (look instanceof Look.Read) {
                        read.add(look.path());
                    }
                }),
                List.of());
        return List.copyOf(read);
    }

    private List<Device> scan() throws IOException {
        return Inventory.scan(Sysfs.at(root), List.of()).items().stream()
                .map(Inventory.Item::device)
                .toList();
    }

    private String health(String id) throws IOException {
        return scan().stream()
                .filter(device -> device.id().equals(id))
                .findFirst()
                .orElseThrow()
                .health()
                .problem()
                .orElse("healthy");
    }

    private static List<String> ids(List<Device> devices) {
        return devices.stream().map(Device::id).toList();
    }

    /** Those of which the path is not a part; a device may go with what it is known by. */
    private static List<String> idsOfOthers(List<Device> devices, String path) {
        return ids(devices).stream()
                .filter(id -> path.contains(FUNCTIONS) && !path.contains(id.split("-", -1)[0]))
                .toList();
    }

    private static void assertReadable(String problem) {
        assertThat(problem).isNotBlank().hasSizeLessThan(200).doesNotContainPattern("\\p{Cntrl}");
    }

    private static void deleteRecursively(Path path) throws IOException {
        Files.walkFileTree(path, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException e) throws IOException {
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException gone) {
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
