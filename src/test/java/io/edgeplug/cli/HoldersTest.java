package io.edgeplug.cli;

import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.edgeplug.api.kubelet.TestDaemon;
import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who holds a device, as people see it. */
@Timeout(60)
final class HoldersTest {

    private static final String CONFIG = """
            kubelet_dir = "/k/dp"
            [[class]]
            resource = "example.com/sriov_node0"
            kind = "vf"
            match = { pci_addresses = ["0000:3b:01.0"] }
            """;

    @TempDir
    private Path directory = Path.of("");

    private String edgeplug(String... args) {
        Console console = new Console();
        String[] all = new String[args.length + 4];
        System.arraycopy(args, 0, all, 0, args.length);
        all[args.length] = "--sysroot";
        all[args.length + 1] = directory.resolve("node").toString();
        all[args.length + 2] = "--config";
        all[args.length + 3] = directory.resolve("edgeplug.toml").toString();
        assertThat(console.execute(all)).as(console.text()).isZero();
        return console.text();
    }

    private JsonObject json() {
        return JsonParser.parseString(edgeplug("list", "-J", NODE0.toString()))
                .getAsJsonObject()
                .getAsJsonArray("devices")
                .get(0)
                .getAsJsonObject();
    }

    private LocalKubelet kubelet(KubeletOptions options) throws Exception {
        LocalKubelet kubelet = LocalKubelet.open(directory.resolve("node/k/dp"), options, event -> {});
        kubelet.await(NODE0, state -> state.allocatable() == 1, PATIENCE);
        return kubelet;
    }

    private TestDaemon daemon() throws Exception {
        return TestDaemon.open(directory, directory.resolve("node/k/dp"), CONFIG);
    }

    @Test
    void podThatHoldsADeviceIsNamedByListAndExplain() throws Exception {
        try (TestDaemon ignored = daemon();
                LocalKubelet kubelet = kubelet(KubeletOptions.DEFAULTS.withRoot(directory.resolve("node/k")))) {
            assertThat(edgeplug("list", "-n", "-o", "DEVICE,POD", NODE0.toString()))
                    .isEqualTo("0000:3b:01.0  -\n");
            kubelet.admit(PodSpec.of("dpdk-0", NODE0, 1).in("edge"));
            Files.createDirectories(directory.resolve("node/k/pods/dpdk-0"));

            assertThat(edgeplug("list", "-n", "-o", "DEVICE,POD,NAMESPACE,CONTAINER", NODE0.toString()))
                    .isEqualTo("0000:3b:01.0  dpdk-0  edge  main\n");
            assertThat(json().get("pod").getAsString()).isEqualTo("dpdk-0");
            assertThat(json().get("namespace").getAsString()).isEqualTo("edge");
            assertThat(edgeplug("explain", "0000:3b:01.0"))
                    .containsPattern(
                            "\nheld by edge/dpdk-0 \\(main\\) since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\n");
        }
    }

    /** The kubelet's directory for device plugins was moved out of its root, which has what names pods. */
    @Test
    void podIsNamedByTheKubeletInWhoseRegistryTheDaemonIs() throws Exception {
        try (TestDaemon ignored = daemon();
                LocalKubelet kubelet = kubelet(KubeletOptions.DEFAULTS.withRoot(directory.resolve("node/root")))) {
            kubelet.admit(PodSpec.of("dpdk-0", NODE0, 1).in("edge"));
            Files.writeString(directory.resolve("edgeplug.toml"), """
                    registration = "plugins_registry"
                    plugins_registry_dir = "/root/plugins_registry"
                    """ + CONFIG);

            assertThat(edgeplug("list", "-n", "-o", "POD,NAMESPACE", NODE0.toString()))
                    .isEqualTo("dpdk-0  edge\n");
        }
    }

    /** The kubelet forgets it only when it gives devices to another pod. */
    @Test
    void podOfWhichNothingIsLeftIsNotNamed() throws Exception {
        try (TestDaemon ignored = daemon();
                LocalKubelet kubelet = kubelet(KubeletOptions.DEFAULTS.withRoot(directory.resolve("node/k")))) {
            Path pod = Files.createDirectories(directory.resolve("node/k/pods/dpdk-0"));
            kubelet.admit(PodSpec.of("dpdk-0", NODE0, 1).in("edge"));
            kubelet.delete("dpdk-0");
            assertThat(edgeplug("explain", "0000:3b:01.0")).contains("\nheld by pod dpdk-0 (main) since ");

            Files.delete(pod);

            assertThat(edgeplug("explain", "0000:3b:01.0")).doesNotContain("held by");
            assertThat(edgeplug("list", "-n", "-o", "DEVICE,CONTAINER", NODE0.toString()))
                    .isEqualTo("0000:3b:01.0  -\n");
        }
    }

    @Test
    void podIsNamedByItsUidWhereTheKubeletDoesNotTellItsName() throws Exception {
        try (TestDaemon ignored = daemon();
                LocalKubelet kubelet = kubelet(KubeletOptions.DEFAULTS)) {
            kubelet.admit(PodSpec.of("uid-0", NODE0, 1));

            assertThat(edgeplug("explain", "0000:3b:01.0")).contains("\nheld by pod uid-0 (main)\n");
            assertThat(edgeplug("list", "-n", "-o", "POD,CONTAINER", NODE0.toString()))
                    .isEqualTo("-  main\n");
        }
    }

    @Test
    void holdersAreAbsentWhereTheCheckpointCannotBeRead() throws Exception {
        try (TestDaemon ignored = daemon()) {
            assertThat(json().has("pod")).isFalse();
            assertThat(edgeplug("explain", "0000:3b:01.0")).doesNotContain("held by");
        }
    }
}
