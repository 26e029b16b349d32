package io.edgeplug.lab.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.VirtualFunction;
import io.edgeplug.node.scan.DeviceScan;
import io.edgeplug.node.scan.FilesOf;
import io.edgeplug.system.files.PathGlob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class MachinesTest {

    private static final Path MACHINES = Path.of("src/test/machines");
    private static final String CRASHED = "its firmware has crashed: afu_id reads all ones";
    private static final String CRASHED_ENGINE = "its firmware has crashed: compat_id reads all ones";
    private static final String OFFLINE = "its driver has taken it offline";
    private static final String UNCONFIGURED = "its node GUID is zero: not configured yet";

    @TempDir
    Path root;

    static List<String> machines() throws IOException {
        try (Stream<Path> all = Files.list(MACHINES)) {
            return all.map(machine -> String.valueOf(machine.getFileName()))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("machines")
    void everyFunctionAnswersAndIsRead(String machine) throws IOException {
        try (SimulatedNode node = unpack(machine)) {
            assertThat(devices(node)).allSatisfy(device -> {
                assertThat(device.health().problem().orElse(UNCONFIGURED))
                        .isIn(UNCONFIGURED, CRASHED, CRASHED_ENGINE, OFFLINE);
                assertThat(device.function().vendor()).isNotZero();
                assertThat(device.function().classCode()).isNotZero();
            });
            assertThat(devices(node))
                    .extracting(device -> device.function().address())
                    .containsAll(new DeviceScan(node.sysfs()).functions());
        }
    }

    @ParameterizedTest
    @MethodSource("machines")
    void everyLinkLeadsSomewhere(String machine) throws IOException {
        try (SimulatedNode node = unpack(machine);
                Stream<Path> all = Files.walk(node.root())) {
            assertThat(all.filter(Files::isSymbolicLink)).allMatch(Files::exists);
        }
    }

    @ParameterizedTest
    @MethodSource("machines")
    void vfsAreThoseThatTheirPfNames(String machine) throws IOException {
        try (SimulatedNode node = unpack(machine)) {
            for (PciDevice device : devices(node)) {
                if (device instanceof VirtualFunction vf) {
                    String pf = "sys/bus/pci/devices/" + vf.physicalFunction();
                    assertThat(node.sysfs().linkName(pf + "/virtfn" + vf.index()))
                            .contains(vf.id());
                    assertThat(node.sysfs().names(pf + "/net")).containsAll(vf.physicalNetNames());
                    assertThat(vf.physicalNetNames()).hasSize(machine.equals("two-ports-of-one-function") ? 2 : 1);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            two-sockets-e810, 0000:3b:01.0 0000:3b:01.1 0000:3b:01.2 0000:3b:01.3, ens1f0, 0
            two-sockets-e810, 0000:af:01.0 0000:af:01.1 0000:af:01.2 0000:af:01.3, ens2f0, 1
            vfio-bound, 0000:5e:02.0 0000:5e:02.1 0000:5e:02.2 0000:5e:02.3, enp94s0f0, 0
            """)
    void vfsOfAPfAreNumberedInOrder(String machine, String addresses, String pf, int numaNode) throws IOException {
        try (SimulatedNode node = unpack(machine)) {
            List<VirtualFunction> vfs = devices(node).stream()
                    .filter(VirtualFunction.class::isInstance)
                    .map(VirtualFunction.class::cast)
                    .filter(vf -> vf.physicalNetNames().equals(List.of(pf)))
                    .toList();
            assertThat(vfs).extracting(VirtualFunction::id).containsExactly(addresses.split(" "));
            assertThat(vfs).extracting(VirtualFunction::index).containsExactly(0, 1, 2, 3);
            assertThat(vfs).allSatisfy(vf -> assertThat(vf.numaNode()).hasValue(numaNode));
        }
    }

    @Test
    void vfioBoundVfsHaveGroupsOfTheirOwnAndNoNetwork() throws IOException {
        try (SimulatedNode node = unpack("vfio-bound")) {
            List<PciDevice> bound = devices(node).stream()
                    .filter(device -> device.function()
                            .driver()
                            .filter("vfio-pci"::equals)
                            .isPresent())
                    .toList();
            assertThat(bound)
                    .extracting(device -> device.function().iommuGroup().orElseThrow())
                    .containsExactly(112, 113);
            assertThat(bound)
                    .allSatisfy(
                            device -> assertThat(device.function().netNames()).isEmpty());
        }
    }

    @Test
    void guestHasGophersAndNoNuma() throws IOException {
        try (SimulatedNode node = unpack("vm-without-numa")) {
            assertThat(devices(node)).hasSize(7).allSatisfy(device -> {
                assertThat(device.numaNode()).isEmpty();
                assertThat(device.function().iommuGroup()).isEmpty();
            });
            assertThat(FilesOf.scan(node.sysfs(), List.of(PathGlob.parse("/etc/gophers/*")), List.of())
                            .devices())
                    .extracting(PathDevice::path)
                    .containsExactly("/etc/gophers/g1", "/etc/gophers/g2");
        }
    }

    @Test
    void boardWithoutPciHasNoFunctions() throws IOException {
        try (SimulatedNode node = unpack("empty")) {
            assertThat(new DeviceScan(node.sysfs()).functions()).isEmpty();
        }
    }

    @Test
    void demoIsHealthyAndAnswersOnPci() throws IOException {
        try (SimulatedNode node = SimulatedNode.unpack(DemoNode.tree(), root)) {
            assertThat(devices(node)).hasSize(8).allSatisfy(device -> {
                assertThat(device.health().problem()).isEmpty();
                assertThat(node.sysfs().readBytes("sys/bus/pci/devices/" + device.id() + "/config", 64))
                        .hasValueSatisfying(config -> assertThat(config).hasSize(64));
            });
            assertThat(devices(node))
                    .filteredOn(VirtualFunction.class::isInstance)
                    .hasSize(4);
        }
    }

    private SimulatedNode unpack(String machine) throws IOException {
        return SimulatedNode.unpack(Files.readString(MACHINES.resolve(machine).resolve("tree")), root);
    }

    private static List<PciDevice> devices(SimulatedNode node) throws IOException {
        DeviceScan scan = new DeviceScan(node.sysfs());
        List<PciDevice> devices = new ArrayList<>();
        for (PciAddress address : scan.functions()) {
            devices.addAll(scan.function(address));
        }
        return devices;
    }
}
