package io.edgeplug.model.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.DriverBinding;
import io.edgeplug.model.device.DriverDevices;
import io.edgeplug.model.device.FpgaFunction;
import io.edgeplug.model.device.FunctionBuilder;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.NodeUse;
import io.edgeplug.model.device.OtherPci;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciFunction;
import io.edgeplug.model.device.RdmaDevice;
import io.edgeplug.model.device.RdmaPort;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.device.VdpaDevice;
import io.edgeplug.model.device.VirtualFunction;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SelectorTest {

    private static final PciAddress PF = new PciAddress(0, 0x3b, 0, 0);

    private static final RdmaDevice RDMA = new RdmaDevice(
            "irdma0",
            "0000:0000:0000:0001",
            "0000:0000:0000:0002",
            List.of(new RdmaPort(1, "ACTIVE", "LinkUp", "InfiniBand", "0x8001", "")),
            List.of());

    private static final VirtualFunction VF3 = new VirtualFunction(
            new FunctionBuilder(new PciAddress(0, 0x3b, 1, 3))
                    .ethernet(0x8086, 0x1889)
                    .acpiIndex(101)
                    .binding(new DriverBinding(
                            Optional.of("iavf"),
                            List.of(),
                            List.of(),
                            List.of("infiniband"),
                            List.of(RDMA),
                            new DriverDevices(
                                    List.of("iavf.iwarp.3"),
                                    List.of(new VdpaDevice("vdpa0", Optional.of("vhost_vdpa"), Optional.empty())),
                                    List.of()),
                            NodeUse.NONE,
                            Optional.empty()))
                    .build(),
            PF,
            3,
            List.of("ens1f0"),
            List.of(),
            Optional.empty(),
            Health.HEALTHY);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "VENDORS       | 8086              | true",
                "VENDORS       | 0x8086            | true",
                "VENDORS       | 15b3              | false",
                "DEVICES       | 1889              | true",
                "CLASSES       | 02                | true",
                "CLASSES       | 0200              | true",
                "CLASSES       | 0x020001          | false",
                "DRIVERS       | iavf              | true",
                "DRIVERS       | vfio-pci          | false",
                "PCI_ADDRESSES | 0000:3b:01.3      | true",
                "PF_NAMES      | ens1f0            | true",
                "PF_NAMES      | ens1f0#3          | true",
                "PF_NAMES      | ens1f0#0,2-7      | true",
                "PF_NAMES      | ens1f0#0-2,4      | false",
                "PF_NAMES      | ens2f0#3          | false",
                "PF_NAMES      | ens?f*#3          | true",
                "PF_NAMES      | ens1f*#4          | false",
                "PF_NAMES      | ?ens1f0           | false",
                "DRIVERS       | ia*               | true",
                "DRIVERS       | vfio*             | false",
                "ACPI_INDEXES  | 101               | true",
                "ACPI_INDEXES  | 10                | false",
                "AUX_TYPES     | iwarp             | true",
                "AUX_TYPES     | rdma              | false",
                "VDPA_TYPE     | vhost             | true",
                "VDPA_TYPE     | virtio            | false",
                "P_KEYS        | 0x8001            | true",
                "P_KEYS        | 8001              | true",
                "P_KEYS        | 0x1               | false",
                "LINK_TYPES    | infiniband        | true",
                "AFU_IDS       | d8424dc4a4a3c413f89e433683f9040b | false",
                "ROOT_DEVICES  | 0000:3b:00.0      | true",
                "ROOT_DEVICES  | 0000:3b:00.0#0-1,3| true",
                "ROOT_DEVICES  | 0000:3b:00.0#4    | false",
            })
    void wordMatches(SelectorWord word, String value, boolean matches) {
        assertThat(new Selector(Map.of(word, List.of(value))).mismatch(VF3).isEmpty())
                .isEqualTo(matches);
    }

    @Test
    void everyKeyMustMatchAndOneValueOfEachIsEnough() {
        Selector selector = new Selector(
                Map.of(SelectorWord.VENDORS, List.of("15b3", "8086"), SelectorWord.DRIVERS, List.of("vfio-pci")));

        assertThat(selector.mismatch(VF3)).contains(SelectorWord.DRIVERS);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "VENDORS       | 80866        | is not four hexadecimal digits, as 8086",
                "CLASSES       | 020          | is not two, four or six hexadecimal digits, as 0200",
                "PCI_ADDRESSES | 3b:00.0      | is not a PCI address, as 0000:3b:02.1",
                "PCI_ADDRESSES | 0000:3b:00.0#0-3 | is not a PCI address, as 0000:3b:02.1: only root_devices and pf_names take numbers of VFs after #",
                "PF_NAMES      | ens1f0#      | needs VF numbers after #, as 0,2-7",
                "PF_NAMES      | ens1f0#4-2   | has a range that ends before it begins: 4-2",
                "PF_NAMES      | #1           | names no PF",
                "ROOT_DEVICES  | ens1f0#1     | is not a PCI address, as 0000:3b:02.1",
                "ACPI_INDEXES  | 1x           | 'is not a number, as 101'",
                "P_KEYS        | 0x18001      | 'is not a P_Key of up to four hexadecimal digits, as 0x8001'",
                "VDPA_TYPE     | vduse        | 'is none of vhost, virtio'",
                "AFU_IDS       | d8424dc4     | 'is not 32 hexadecimal digits, as d8424dc4a4a3c413f89e433683f9040b'",
                "PATHS         | etc/x        | 'is not an absolute path, as /dev/gophers/*'",
                "PATHS         | /etc/../x    | 'has an empty, . or .. name on its way'",
            })
    void valueOfAWrongFormIsTold(SelectorWord word, String value, String problem) {
        assertThat(word.problem(value)).contains(problem);
    }

    @Test
    void physicalFunctionWithVfsIsNoCandidate() {
        DeviceClass everything = DeviceClass.of(
                ResourceName.parse("example.com/x"),
                Kind.PCI,
                new Selector(Map.of(SelectorWord.VENDORS, List.of("8086"))));
        PciFunction pf = new FunctionBuilder(PF)
                .ethernet(0x8086, 0x1592)
                .driver("ice", "ens1f0")
                .virtualFunctions(4)
                .build();

        assertThat(everything.takes(new OtherPci(pf, Health.HEALTHY))).isFalse();
    }

    @Test
    void fpgaIsChosenByWhatItIsProgrammedWithHoweverTheIdIsWritten() {
        FpgaFunction alveo =
                new FpgaFunction(VF3.function(), List.of("862c7020-a250-293e-3203-6f19956669e5"), Health.HEALTHY);

        assertThat(new Selector(Map.of(SelectorWord.AFU_IDS, List.of("862C7020A250293E32036F19956669E5")))
                        .mismatch(alveo))
                .isEmpty();
        assertThat(new Selector(Map.of(SelectorWord.COMPAT_IDS, List.of("862c7020a250293e32036f19956669e5")))
                        .mismatch(alveo))
                .contains(SelectorWord.COMPAT_IDS);
    }
}
