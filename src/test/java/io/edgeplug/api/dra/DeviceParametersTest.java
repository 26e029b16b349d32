package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.DraNode.VF0;
import static io.edgeplug.api.dra.DraNode.VF0_NAME;
import static io.edgeplug.api.dra.DraNode.VF1_NAME;
import static io.edgeplug.api.dra.TestClaims.config;
import static io.edgeplug.api.dra.TestClaims.configured;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.edgeplug.api.kubelet.LogLines;
import io.edgeplug.proto.pluginregistration.PluginInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The settings that claims choose for their VFs, and those that they are refused. */
@Timeout(90)
final class DeviceParametersTest extends OnDraNode {

    private static final String CLASSES = DraNode.CLASSES + """
            [class.prepare.vf]
            vlan = 7
            mac = "02:00:00:00:00:01"
            trust = false
            [class.claims]
            vlans = [100, 200]
            mac = true
            """;

    @Override
    String classes() {
        return CLASSES;
    }

    /** An {@code ip} that fails at VLAN 200 while a file {@code refuses} exists. */
    @BeforeEach
    void writeIp() throws IOException {
        Path ip = Files.createDirectories(node.node.root().resolve("sbin")).resolve("ip");
        Files.writeString(ip, """
                #!/bin/sh
                case "$*" in
                    *"vlan 200"*) [ ! -e %1$s/refuses ] || { echo "RTNETLINK answers: Invalid argument" >&2; exit 2; } ;;
                esac
                echo "$*" >>%1$s/arguments
                """.formatted(directory));
        Files.setPosixFilePermissions(ip, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** Another node, with these classes. */
    private void serve(String classes) throws Exception {
        node.close();
        node = DraNode.open(Files.createDirectory(directory.resolve("other")), classes);
        PluginInfo ignored = node.kubelet.register();
        writeIp();
    }

    /** The calls of {@code ip}. */
    private List<String> settings() throws IOException {
        Path arguments = directory.resolve("arguments");
        return Files.exists(arguments) ? Files.readAllLines(arguments) : List.of();
    }

    private static String parameters(String vf) {
        return TestClaims.parameters("\"vf\":" + vf);
    }

    private String error(String name, JsonObject claim) {
        node.server.put(claim);
        return node.kubelet.prepare(name).getError();
    }

    private String mistakes(String parameters) {
        String error = error("bad", configured("bad", VF0_NAME, config("[]", parameters)));
        assertThat(error)
                .startsWith(
                        "Claim default/bad cannot be prepared: it or its DeviceClass has parameters that example.com/vf"
                                + " does not take: ");
        return error.substring(error.indexOf("take: ") + 6);
    }

    @Test
    void claimChoosesForItselfAndTheVfIsAsTheClassSaysBeforeAnybodyElseGetsIt() throws Exception {
        assertThat(error("mine", configured("mine", VF0_NAME, config("[\"vfs\"]", parameters("{\"vlan\":100}")))))
                .isEmpty();
        assertThat(settings()).containsExactly("link set dev ens1f0 vf 0 mac 02:00:00:00:00:01 vlan 100 trust off");
        try (LogLines log = LogLines.open()) {
            assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
            assertThat(log.await(VF0 + ": scrubbed in ")).hasSize(1);
        }
        assertThat(settings().getLast()).isEqualTo("link set dev ens1f0 vf 0 mac 02:00:00:00:00:01 vlan 7");

        assertThat(error("yours", configured("yours", VF0_NAME))).isEmpty();
        assertThat(settings().getLast()).isEqualTo("link set dev ens1f0 vf 0 mac 02:00:00:00:00:01 vlan 7 trust off");
    }

    @Test
    void choiceIsUndoneAlsoIfTheClassDoesNotSayTheKeyAnyMore() throws Exception {
        assertThat(error("mine", configured("mine", VF0_NAME, config("[\"vfs\"]", parameters("{\"vlan\":100}")))))
                .isEmpty();
        node.stopDaemon();
        node.configure(DraNode.CLASSES);
        node.startDaemon();
        PluginInfo ignored = node.kubelet.register();
        try (LogLines log = LogLines.open()) {
            assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
            assertThat(log.await(VF0 + ": scrubbed in ")).hasSize(1);
        }

        assertThat(settings())
                .containsExactly(
                        "link set dev ens1f0 vf 0 mac 02:00:00:00:00:01 vlan 100 trust off",
                        "link set dev ens1f0 vf 0 mac 02:00:00:00:00:01 vlan 7");
    }

    @Test
    void claimPrevailsOverItsDeviceClassAndOtherRequestsAreNotConcerned() throws Exception {
        JsonObject claim = configured(
                "mine",
                VF1_NAME,
                config("[]", parameters("{\"vlan\":200,\"mac\":\"02:00:00:00:00:0A\"}")),
                config("[\"vfs/first-choice\"]", parameters("{\"vlan\":100}")),
                config("[\"vfs/second-choice\",\"others\"]", parameters("{\"vlan\":9999}")));

        assertThat(error("mine", claim)).isEmpty();
        assertThat(settings()).containsExactly("link set dev ens1f0 vf 1 mac 02:00:00:00:00:0a vlan 100 trust off");
    }

    @Test
    void whatTheClassDoesNotAllowIsRefusedWithAllMistakesAndNothingIsDone() throws Exception {
        assertThat(mistakes(parameters("{\"vlan\":7,\"mac\":\"01:00:5e:00:00:01\",\"trust\":true,\"max_tx_rate\":1}")))
                .isEqualTo("vf.trust: unknown field, there are mac, max_tx_rate, vlan"
                        + "; vf.mac: must be a station's address, as 02:00:00:00:10:00"
                        + "; vf.vlan: must be one of 100, 200"
                        + "; vf.max_tx_rate: its [class.claims] does not let claims choose it");
        assertThat(mistakes("{\"kind\":\"Device\",\"program\":\"/etc/passwd\"}"))
                .isEqualTo("program: unknown field, there are apiVersion, fpga, interface, kind, vf"
                        + "; apiVersion: missing, must be edgeplug.io/v1; kind: must be DeviceParameters");
        assertThat(mistakes(parameters("\"vlan\""))).isEqualTo("vf: must be an object");
        assertThat(mistakes(parameters("{\"mac\":\"00:00:00:00:00:00\"}")))
                .isEqualTo("vf.mac: must be a station's address, as 02:00:00:00:10:00");
        assertThat(mistakes("[1]")).isEqualTo("they are no object");
        assertThat(mistakes(TestClaims.parameters("\"fpga\":{\"image\":\"codec\"}")))
                .isEqualTo("fpga.image: its [class.claims] does not let claims choose it");
        for (String vlan : List.of("\"100\"", "1e2", "100.0", "-100", "null", "99999999999999999999", "[100]")) {
            assertThat(mistakes(parameters("{\"vlan\":" + vlan + "}"))).isEqualTo("vf.vlan: must be one of 100, 200");
        }
        assertThat(node.claims()).doesNotExist();
        assertThat(node.node.acts()).isEmpty();
        assertThat(settings()).isEmpty();
    }

    @Test
    void parametersOfAnySizeAndWithAnyNamesAreToldInOneShortLine() {
        assertThat(mistakes(parameters("{\"" + "v".repeat(4 << 10) + "\":1}"))).isEqualTo("they have more than 4 KiB");
        StringBuilder fields = new StringBuilder("{\"\\n\\u001b[2J\":1");
        for (int i = 0; i < 100; i++) {
            fields.append(",\"").append("v".repeat(20)).append(i).append("\":1");
        }
        assertThat(mistakes(parameters(fields + "}")))
                .startsWith("vf.??[2J: unknown field")
                .endsWith("; and 93 more")
                .hasSizeLessThan(1000);
    }

    @Test
    void severalVfsDoNotGetOneAddress() throws Exception {
        String mac = parameters("{\"mac\":\"02:00:00:00:00:0a\"}");
        JsonObject claim = TestClaims.allocated("two", VF0_NAME, VF1_NAME);
        JsonArray configs = new JsonArray();
        configs.add(config("[]", mac));
        TestClaims.devices(claim).add("config", configs);

        assertThat(error("two", claim))
                .contains("it chooses 02:00:00:00:00:0a twice; give each device a request of its own");
        assertThat(node.claims()).doesNotExist();
        assertThat(settings()).isEmpty();
    }

    @Test
    void rateIsNoLowerThanTheLeastOfTheClass() throws Exception {
        serve(CLASSES.replace("trust = false", "min_tx_rate = 1000\nmax_tx_rate = 5000")
                .replace("mac = true", "max_tx_rate = 9000"));

        assertThat(mistakes(parameters("{\"max_tx_rate\":999}"))).isEqualTo("vf.max_tx_rate: must be 1000 to 9000");
    }

    @Test
    void interfaceIsChosenAsFarAsTheClassLetsIt() throws Exception {
        serve("""
                [[class]]
                resource = "example.com/vf"
                kind = "vf"
                api = "dra"
                [class.match]
                pf_names = ["ens1f0"]
                [class.interface]
                addresses = ["192.0.2.1/24"]
                [class.claims]
                interface_name = true
                networks = ["198.51.100.0/24", "2001:db8::/64"]
                """);
        String name =
                "interface.name: must begin with a letter, end in a number as net1 does, and have only letters, digits and"
                        + " _.-, at most 14 characters; eth0 is not allowed";
        for (String bad : List.of("eth0", "net", "../net1", "net 1", "net1234567890123", "lo", "")) {
            assertThat(mistakes(TestClaims.parameters("\"interface\":{\"name\":\"" + bad + "\"}")))
                    .isEqualTo(name);
        }
        String addresses = "interface.addresses: must be one to 16 addresses of hosts with their prefixes in"
                + " 198.51.100.0/24, 2001:db8::/64";
        String usable = "\"198.51.100.7/24\"";
        for (String bad : List.of(
                "[\"192.0.2.1/24\"]",
                "[\"198.51.100.7/16\"]",
                "[\"198.51.100.0/24\"]",
                "[" + usable + ",\"2001:db8:0:1::1/64\"]",
                "[" + usable + ",7]",
                "[" + usable + ",\"198.51.100.8/32\"".repeat(16) + "]",
                "[]",
                usable)) {
            assertThat(mistakes(TestClaims.parameters("\"interface\":{\"addresses\":" + bad + "}")))
                    .isEqualTo(addresses);
        }
        assertThat(mistakes(TestClaims.parameters("\"interface\":{\"mtu\":9000}")))
                .isEqualTo("interface.mtu: unknown field, there are addresses, name");
        String twice = TestClaims.parameters("\"interface\":{\"addresses\":[" + usable + "," + usable + "]}");
        assertThat(error("bad", configured("bad", VF0_NAME, config("[]", twice))))
                .contains("it chooses 198.51.100.7 twice; give each device a request of its own");
        assertThat(node.claims()).doesNotExist();
    }

    /** If the device stayed unhealthy, nobody would get it again, because only a claim has it prepared. */
    @Test
    void deviceThatRefusesWhatAClaimChoseIsOfferedAgainOnceTheClaimIsReleased() throws Exception {
        serve(CLASSES.replace("driver = \"vfio-pci\"\n", ""));
        Path refuses = Files.createFile(directory.resolve("refuses"));
        assertThat(error("mine", configured("mine", VF0_NAME, config("[]", parameters("{\"vlan\":200}")))))
                .contains("RTNETLINK answers: Invalid argument");
        assertThat(node.server.await(slices -> slices.toString().contains("edgeplug.io/unhealthy")))
                .isNotEmpty();

        assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();

        assertThat(node.server.await(slices -> TestSlices.names(slices).contains(VF0_NAME)
                        && !slices.toString().contains("\"taints\"")))
                .isNotEmpty();
        Files.delete(refuses);
        assertThat(error("yours", configured("yours", VF0_NAME))).isEmpty();
    }

    @Test
    void badClaimLeavesTheOthersAlone() {
        node.server.put(configured("good", VF0_NAME, config("[]", parameters("{\"vlan\":200}"))));
        node.server.put(configured("bad", VF1_NAME, config("[]", parameters("{\"vlan\":201}"))));
        var answer = node.kubelet.prepare(DraKubelet.claim("good"), DraKubelet.claim("bad"));

        assertThat(answer.get("uid-of-good"))
                .satisfies(one -> assertThat(one.getError()).isEmpty());
        assertThat(answer.get("uid-of-bad"))
                .satisfies(one -> assertThat(one.getError()).endsWith("vf.vlan: must be one of 100, 200"));
    }

    @Test
    void administratorsClaimChoosesNothing() {
        JsonObject claim = configured("look", VF0_NAME, config("[]", parameters("{\"vlan\":100}")));
        TestClaims.result(claim).addProperty("adminAccess", true);

        assertThat(error("look", claim)).endsWith("with adminAccess nothing is done to a device");
        assertThat(node.node.acts()).doesNotContain(VF0 + " bound to vfio-pci");
    }
}
