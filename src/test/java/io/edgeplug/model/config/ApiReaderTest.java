package io.edgeplug.model.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.edgeplug.model.rules.Api;
import io.edgeplug.model.rules.ClaimChoice;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Image;
import io.edgeplug.model.rules.Step;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Classes whose devices are claimed, and what such a class cannot say. */
final class ApiReaderTest {

    private static final String CLASS = """
            [[class]]
            resource = "example.com/vf"
            kind = "vf"
            match = { drivers = ["iavf"] }
            """;

    @TempDir
    private Path directory = Path.of("");

    private Config read(String before, String lines) throws Exception {
        return ConfigFiles.read(Files.writeString(directory.resolve("edgeplug.toml"), before + "\n" + CLASS + lines));
    }

    private String mistakes(String before, String lines) {
        ConfigException mistakes = catchThrowableOfType(ConfigException.class, () -> read(before, lines));
        return String.valueOf(mistakes.getMessage());
    }

    @Test
    void classIsTheDevicePluginsUnlessItSaysOtherwise() throws Exception {
        assertThat(read("", "").claimed()).isEmpty();
        Config claimed = read("", "api = \"dra\"\nevict = true");

        assertThat(claimed.claimed())
                .hasSize(1)
                .allMatch(one -> one.api() == Api.DRA && one.claims().evict());
        assertThat(read("", "api = \"device-plugin\"")).isEqualTo(read("", ""));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            api = "dar"                         | api: "dar" is none of device-plugin, dra
            evict = true                        | evict: needs api = "dra"
            api = "dra"~hand_over = "cdi"       | hand_over: does not apply to api = "dra"
            api = "dra"~annotations = { a = "b" } | annotations: does not apply to api = "dra"
            api = "dra"~prepare_before = "bind" | prepare_before: "bind" is none of binding, start
            api = "dra"~prepare_before = "binding" | prepare_before: needs [class.prepare]
            prepare_before = "binding"          | prepare_before: needs api = "dra"
            claims = { vlans = [7] }            | claims: needs api = "dra"
            api = "dra"~claims = { vlans = [7] } | claims.vlans: needs vlan in [class.prepare.vf]
            api = "dra"~claims = { mac = true } | claims.mac: needs mac in [class.prepare.vf]
            api = "dra"~claims = { max_tx_rate = 9 } | claims.max_tx_rate: needs max_tx_rate in [class.prepare.vf]
            api = "dra"~claims = { vlans = [4095] } | claims.vlans: must be 0 to 4094
            api = "dra"~claims = { vlan = 7 }   | claims.vlan: unknown key, did you mean vlans?
            """)
    void whatAClaimedClassCannotSayIsAMistake(String lines, String mistake) {
        assertThat(mistakes("", lines.replace('~', '\n'))).contains(mistake);
    }

    @Test
    void devicesArePreparedBeforeBindingIfTheClassSaysSoOrProgramsAnFpga() throws Exception {
        String resets = "api = \"dra\"\nprepare = { reset = \"flr\" }\n";
        assertThat(read("", resets).claimed()).noneMatch(one -> one.claims().isPreparedBeforeBinding());
        assertThat(read("", resets.replace("prepare", "prepare_before = \"binding\"\nprepare"))
                        .claimed())
                .allMatch(one -> one.claims().isPreparedBeforeBinding());
        // The addresses of an interface may be missing on this node, so that the pod is to go elsewhere.
        assertThat(read("", "api = \"dra\"\nprepare_before = \"binding\"\ninterface = {}")
                        .claimed())
                .hasSize(1)
                .allMatch(one -> one.claims().isPreparedBeforeBinding());
        String programs = IMAGES.formatted("0".repeat(64));
        assertThat(read(programs, "").claimed())
                .hasSize(1)
                .allMatch(one -> one.claims().isPreparedBeforeBinding());
        assertThat(read(programs.replace("api", "prepare_before = \"start\"\napi"), "")
                        .claimed())
                .noneMatch(one -> one.claims().isPreparedBeforeBinding());
        assertThat(read(
                                programs.substring(0, programs.indexOf("[[class.claims"))
                                        .replace("api = \"dra\"", ""),
                                "")
                        .classes())
                .noneMatch(one -> one.claims().isPreparedBeforeBinding());
    }

    private static final String IMAGES = """
            [[class]]
            resource = "example.com/fpga"
            kind = "fpga"
            api = "dra"
            match = { vendors = ["10ee"] }
            [class.prepare.program]
            file = "/x"
            sha256 = "%1$s"
            [[class.claims.images]]
            name = "codec"
            file = "/y"
            sha256 = "%1$s"
            id = "D8424DC4-A4A3-C413-F89E-433683F9040B"
            """.formatted("0".repeat(64));

    private String imageMistakes(String before, String after) {
        ConfigException mistakes = catchThrowableOfType(
                ConfigException.class,
                () -> ConfigFiles.read(
                        Files.writeString(directory.resolve("edgeplug.toml"), IMAGES.replace(before, after))));
        return String.valueOf(mistakes.getMessage());
    }

    @Test
    void imageTakesThePlaceOfTheOneOfTheClass() throws Exception {
        DeviceClass read = ConfigFiles.read(Files.writeString(directory.resolve("edgeplug.toml"), IMAGES))
                .claimed()
                .getFirst();
        Image image = read.claims().choices().images().getFirst();

        assertThat(image)
                .isEqualTo(new Image("codec", "/y", "0".repeat(64), Optional.of("d8424dc4a4a3c413f89e433683f9040b")));
        assertThat(read.recipe().with(ClaimChoice.of(image)).steps())
                .extracting(Step::text)
                .containsExactly("/y as d8424dc4a4a3c413f89e433683f9040b");
        assertThat(read.release().isEmpty()).isTrue();
    }

    @Test
    void imageThatNobodyCouldProgramIsAMistake() {
        assertThat(imageMistakes("\"/y\"", "\"y\"")).contains("claims.images.file: \"y\" is not an absolute path");
        assertThat(imageMistakes("\"codec\"", "\"Codec 2\"")).contains("claims.images.name: \"Codec 2\" is not a name");
        assertThat(imageMistakes("id = ", "always = true\nid = ")).contains("claims.images.always: ");
        assertThat(imageMistakes("id = ", "id = \"x\"\n[[class.claims.images]]\nname = \"codec\"\nid = "))
                .contains("claims.images.id: \"x\" is not 32 hexadecimal digits")
                .contains("claims.images.name: \"codec\" is the name of two images")
                .contains("claims.images.sha256: missing");
        assertThat(imageMistakes("[class.prepare.program]", "[class.release.program]"))
                .contains("claims.images: needs one [class.prepare.program]");
        assertThat(imageMistakes("\"fpga\"", "\"vf\"")).contains("claims.images: does not apply to kind vf");
    }

    /** Whoever gets the VF next may be of a class that says nothing of it. */
    @Test
    void whatAClaimMayChooseIsPutBackAfterItBeforeAllElse() throws Exception {
        String lines = """
                api = "dra"
                [class.prepare.vf]
                vlan = 7
                mac = "random"
                trust = false
                max_tx_rate = 100
                [class.claims]
                %s
                """;
        assertThat(steps(lines.formatted("vlans = [100]"))).containsExactly("vlan 7");
        assertThat(steps(lines.formatted("vlans = [100]\nmac = true\nmax_tx_rate = 50")
                        + "[class.release]\nreset = \"flr\""))
                .containsExactly("mac random, vlan 7, at most 100 Mbit/s", "flr");
        assertThat(steps("api = \"dra\"\n[class.prepare.vf]\nvlan = 7")).isEmpty();
    }

    private List<String> steps(String lines) throws Exception {
        return read("", lines).claimed().getFirst().release().steps().stream()
                .map(Step::text)
                .toList();
    }

    @Test
    void resourceThatNoAttributeHoldsIsAMistake() {
        String file = CLASS.replace("example.com/vf", "example.com/" + "v".repeat(60));
        assertThat(mistakes(file.replace("match =", "api = \"dra\"\nmatch ="), ""))
                .contains("resource: is longer than the 64 characters");
    }

    @ParameterizedTest
    @CsvSource({
        "driver = \"Edge.io\", is not the name of a driver",
        "driver = \"3com.example\", is not the name of a driver",
        "node_name = \"a/b\", is not the name of a node",
        "kubeconfig = \"kubelet.conf\", must be an absolute path",
        "host = \"a\", unknown key"
    })
    void settingsThatAreNoneAreMistakes(String line, String mistake) {
        assertThat(mistakes("", "[dra]\n" + line)).contains(mistake);
    }

    @Test
    void settingsAreServedElsewhereOnlyIfSomethingIsClaimed() throws Exception {
        String settings =
                "[dra]\nnode_name = \"edge-1\"\nkubeconfig = \"/etc/kubeconfig\"\ndriver = \"a.example.com\"\n";
        assertThat(read("", settings).dra())
                .isEqualTo(new Config.Dra(
                        "a.example.com", Optional.of("edge-1"), Optional.of(Path.of("/etc/kubeconfig"))));
        assertThat(read("", settings).isServedAs(read("", ""))).isTrue();
        assertThat(read("", "api = \"dra\"\n" + settings).isServedAs(read("", "api = \"dra\"")))
                .isFalse();
        assertThat(read("", "api = \"dra\"").isServedAs(read("", ""))).isFalse();
    }
}
