package io.edgeplug.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.FunctionBuilder;
import io.edgeplug.model.device.PodInterface;
import io.edgeplug.model.device.ResourceName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What CDI specifications say of network interfaces. */
final class InterfaceEditsTest {

    private static final ResourceName NET = ResourceName.parse("example.com/net");
    private static final String VF1 = "0000:3b:01.1";
    private static final String VF2 = "0000:3b:01.2";

    @TempDir
    private Path directory = Path.of("");

    private final Map<String, PodInterface> now = new HashMap<>();

    private static Equipment vf(int number) {
        Device device = FunctionBuilder.vf(number);
        return new Equipment(
                device, List.of(), Set.of(), List.of(), Set.of(), "{}", false, Optional.of("net1"), Optional.empty());
    }

    private String written(CdiSpecs specs) throws Exception {
        assertThat(specs.keep(List.of(vf(1), vf(2)))).isEmpty();
        return Files.readString(directory.resolve(CdiSpecs.fileName(NET))).replaceAll("\\s+", "");
    }

    @Test
    void fileSaysWhereTheInterfaceIsEachTimeItIsWritten() throws Exception {
        CdiSpecs specs = new CdiSpecs(directory, NET, device -> Optional.ofNullable(now.get(device.id())));
        String nothing = "{\"cdiVersion\":\"0.5.0\",\"kind\":\"example.com/net\",\"devices\":["
                + "{\"name\":\"0000:3b:01.1\",\"containerEdits\":{\"env\":[\"EDGEPLUG_INTERFACE_0000_3B_01_1=net1\"]}},"
                + "{\"name\":\"0000:3b:01.2\",\"containerEdits\":{\"env\":[\"EDGEPLUG_INTERFACE_0000_3B_01_2=net1\"]}}]}";
        assertThat(written(specs)).isEqualTo(nothing);

        now.put(VF1, new PodInterface("net1", Optional.of("ens1f0v1"), "", List.of()));
        now.put(VF2, new PodInterface("net2", Optional.of("dev7"), "", List.of()));
        assertThat(specs.isCurrent(vf(1).device())).isFalse();
        assertThat(written(specs))
                .isEqualTo("{\"cdiVersion\":\"1.1.0\",\"kind\":\"example.com/net\",\"devices\":["
                        + "{\"name\":\"0000:3b:01.1\",\"containerEdits\":{"
                        + "\"netDevices\":[{\"hostInterfaceName\":\"ens1f0v1\",\"name\":\"net1\"}],"
                        + "\"env\":[\"EDGEPLUG_INTERFACE_0000_3B_01_1=net1\"]}},"
                        + "{\"name\":\"0000:3b:01.2\",\"containerEdits\":{"
                        + "\"netDevices\":[{\"hostInterfaceName\":\"dev7\",\"name\":\"net2\"}],"
                        + "\"env\":[\"EDGEPLUG_INTERFACE_0000_3B_01_2=net2\"]}}]}");
        assertThat(specs.isCurrent(vf(1).device())).isTrue();

        // Both have been moved. A container that starts again keeps them, and the file is for old runtimes too.
        now.put(VF1, new PodInterface("net1", Optional.empty(), "", List.of()));
        now.put(VF2, new PodInterface("net2", Optional.empty(), "", List.of()));
        assertThat(written(specs)).isEqualTo(nothing.replace("01_2=net1", "01_2=net2"));
    }

    @Test
    void specificationOfAClaimFollowsToo() {
        String specification = CdiSpecs.content(
                "edgeplug.io/claim",
                Map.of(
                        "uid_vfs_a",
                        new Allocation(
                                new java.util.TreeMap<>(Map.of("PCIDEVICE", VF1)),
                                List.of(),
                                List.of(),
                                new java.util.TreeMap<>(),
                                List.of())));
        assertThat(ClaimSpecs.withInterfaces(specification, Map.of())).isEqualTo(specification);

        String moving = ClaimSpecs.withInterfaces(
                specification,
                Map.of(
                        "uid_vfs_a",
                        Map.of(
                                VF2, new PodInterface("net2", Optional.of("ens1f0v2"), "", List.of()),
                                VF1, new PodInterface("net1", Optional.empty(), "", List.of()))));
        assertThat(moving.replaceAll("\\s+", ""))
                .isEqualTo("{\"cdiVersion\":\"1.1.0\",\"kind\":\"edgeplug.io/claim\",\"devices\":["
                        + "{\"name\":\"uid_vfs_a\",\"containerEdits\":{\"env\":[\"PCIDEVICE=0000:3b:01.1\","
                        + "\"EDGEPLUG_INTERFACE_0000_3B_01_1=net1\",\"EDGEPLUG_INTERFACE_0000_3B_01_2=net2\"],"
                        + "\"netDevices\":[{\"hostInterfaceName\":\"ens1f0v2\",\"name\":\"net2\"}]}}]}");

        String moved = ClaimSpecs.withInterfaces(
                specification,
                Map.of("uid_vfs_a", Map.of(VF1, new PodInterface("net1", Optional.empty(), "", List.of()))));
        assertThat(moved).contains("0.5.0").doesNotContain("netDevices");
    }
}
