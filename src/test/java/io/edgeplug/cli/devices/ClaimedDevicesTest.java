package io.edgeplug.cli.devices;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.edgeplug.cli.Console;
import io.edgeplug.cli.KubeletFiles;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.node.pods.PreparedClaim;
import io.edgeplug.node.pods.PreparedClaims;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the cluster knows devices that pods claim, and which claim holds them, as list and explain show it. */
final class ClaimedDevicesTest {

    private static final String CLAIMED = """
            [[class]]
            resource = "example.com/vf"
            kind = "vf"
            api = "dra"
            match = { pf_names = ["ens1f0"] }
            """;

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private SimulatedNode node;

    @BeforeEach
    void open() throws IOException {
        node = SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node"));
        configure(CLAIMED);
    }

    private void configure(String text) throws IOException {
        Files.writeString(directory.resolve("edgeplug.toml"), text);
    }

    private String edgeplug(String... args) {
        Console console = new Console();
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of(
                "--sysroot",
                node.root().toString(),
                "--config",
                directory.resolve("edgeplug.toml").toString()));
        assertThat(console.execute(all.toArray(String[]::new)))
                .as(console.text())
                .isZero();
        return console.text();
    }

    private void claim(String name, Optional<String> boot, boolean isForAdministrator) throws IOException {
        PreparedClaim begun = new PreparedClaim(
                "uid-of-" + name,
                "edge",
                name,
                List.of(new PreparedClaim.Pod("uid-of-pod", "encrypt")),
                List.of(new PreparedClaim.Device(
                        "vfs",
                        "node1",
                        "0000-3b-01-0",
                        Optional.empty(),
                        "0000:3b:01.0",
                        "example.com/vf",
                        isForAdministrator,
                        Optional.empty())));
        PreparedClaims.read(PreparedClaims.directory(node.root()))
                .note(boot.map(one -> begun.ready(one, "{}", Map.of())).orElse(begun));
    }

    @Test
    void listTellsNameDriverAndPoolWithoutTheApiServer() throws IOException {
        KubeletFiles.write(node.root(), "https://192.0.2.10:6443");

        assertThat(edgeplug("list", "-o", "DEVICE,DRANAME,DRADRIVER,POOL,CLAIM", "0000:3b:01.0", "0000:3b:00.0"))
                .isEqualTo("""
                        DEVICE        DRANAME       DRADRIVER    POOL   CLAIM
                        0000:3b:00.0  -             -            -      -
                        0000:3b:01.0  0000-3b-01-0  edgeplug.io  node1  -
                        """);
    }

    @Test
    void configuredNameOfTheNodeAndTheDriverAreThoseOfThePoolAndTheSlice() throws IOException {
        configure("[dra]\nnode_name = \"edge-7\"\ndriver = \"vfs.example.com\"\n" + CLAIMED);

        assertThat(edgeplug("list", "-n", "-o", "DRADRIVER,POOL", "0000:3b:01.0"))
                .isEqualTo("vfs.example.com  edge-7\n");
    }

    @Test
    void poolIsAbsentWhereNothingTellsTheNameOfTheNode() {
        assertThat(edgeplug("list", "-n", "-o", "DRANAME,POOL", "0000:3b:01.0")).isEqualTo("0000-3b-01-0  -\n");
    }

    @Test
    void deviceWithSharesHasItsOwnNameUnlessEachShareIsADevice() throws IOException {
        configure(CLAIMED + "shares = 4\n");
        assertThat(edgeplug("list", "-n", "-o", "DRANAME", "0000:3b:01.0")).isEqualTo("0000-3b-01-0\n");

        configure(CLAIMED + "shares = 4\nprefer = \"spread\"\n");
        assertThat(edgeplug("list", "-n", "-o", "DRANAME", "0000:3b:01.0")).matches("0000-3b-01-0-0-[0-9a-f]{12}, …\n");
    }

    @Test
    void claimThatHoldsADeviceIsNamed() throws IOException {
        claim("two-vfs", Optional.of("boot"), false);

        assertThat(edgeplug("list", "-n", "-o", "CLAIM", "0000:3b:01.0", "0000:3b:01.1"))
                .isEqualTo("edge/two-vfs\n-\n");
        assertThat(edgeplug("explain", "0000:3b:01.0"))
                .contains("\n  draname    0000-3b-01-0\n  dradriver  edgeplug.io\n")
                .contains("\nheld by claim edge/two-vfs, for pod encrypt\n");
        assertThat(edgeplug("explain", "0000:3b:01.1")).doesNotContain("held by");
    }

    @Test
    void claimThatIsBeingPreparedHoldsItsDeviceAndOneThatOnlyLooksDoesNot() throws IOException {
        claim("looks", Optional.of("boot"), true);
        assertThat(edgeplug("list", "-n", "-o", "CLAIM", "0000:3b:01.0")).isEqualTo("-\n");

        claim("new", Optional.empty(), false);
        assertThat(edgeplug("explain", "0000:3b:01.0"))
                .contains("\nheld by claim edge/new, for pod encrypt, which is not prepared yet\n");
    }

    @Test
    void jsonHasTheColumnsWhereAnyDeviceIsClaimedAndNotElsewhere() throws IOException {
        claim("two-vfs", Optional.of("boot"), false);
        JsonObject device = device();
        assertThat(device.get("draname").getAsString()).isEqualTo("0000-3b-01-0");
        assertThat(device.get("claim").getAsString()).isEqualTo("edge/two-vfs");
        assertThat(device.get("pool").isJsonNull()).isTrue();

        // the claim was not released before the class was moved back
        configure(CLAIMED.replace("api = \"dra\"\n", ""));
        assertThat(device().has("claim")).isFalse();
        assertThat(edgeplug("list", "-n", "-o", "DRANAME,CLAIM", "0000:3b:01.0"))
                .isEqualTo("-  edge/two-vfs\n");
    }

    @Test
    void eachFaceHasANameOfItsOwn() throws IOException {
        String face = CLAIMED.replace("api = \"dra\"", "api = \"dra\"\nfaces = \"exclusive\"");
        configure(face + face.replace("example.com/vf", "example.com/other"));

        assertThat(edgeplug("list", "-n", "-o", "DRANAME", "0000:3b:01.0").lines())
                .hasSize(2)
                .doesNotHaveDuplicates()
                .allMatch(name -> name.startsWith("0000-3b-01-0-"));
    }

    @Test
    void claimIsThatOfTheFaceAsWhichItHasTheDevice() throws IOException {
        String face = CLAIMED.replace("api = \"dra\"", "faces = \"exclusive\"");
        configure(face + face.replace("example.com/vf", "example.com/other"));
        claim("two-vfs", Optional.of("boot"), false);

        assertThat(edgeplug("list", "-n", "-o", "RESOURCE,CLAIM", "0000:3b:01.0"))
                .isEqualTo("example.com/vf     edge/two-vfs\nexample.com/other  -\n");
        assertThat(edgeplug("explain", "0000:3b:01.0"))
                .contains("\nheld by claim edge/two-vfs as example.com/vf, for pod encrypt\n");
    }

    private JsonObject device() {
        return JsonParser.parseString(edgeplug("list", "-J", "0000:3b:01.0"))
                .getAsJsonObject()
                .getAsJsonArray("devices")
                .get(0)
                .getAsJsonObject();
    }
}
