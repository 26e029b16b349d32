package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.TestClaims.config;
import static io.edgeplug.api.dra.TestClaims.configured;
import static io.edgeplug.api.dra.TestClaims.parameters;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.edgeplug.api.kubelet.LogLines;
import io.edgeplug.api.kubelet.Seen;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.model.device.PciAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Images that claims choose for an FPGA. */
@Timeout(90)
final class ClaimedImagesTest extends OnDraNode {

    private static final String FPGA = "0000-5e-00-0";
    private static final String NONE = "none";
    private static final String CODEC = "codec";
    private static final String CRYPTO = "crypto";

    @Override
    String classes() throws Exception {
        return """
                [[class]]
                resource = "example.com/fpga"
                kind = "fpga"
                api = "dra"
                [class.match]
                vendors = ["10ee"]
                [class.prepare]
                timeout = 2
                [class.prepare.program]
                command = ["%s", "{file}"]
                command_timeout = 60
                %s
                [[class.claims.images]]
                name = "codec"
                %s
                [[class.claims.images]]
                name = "crypto"
                %s
                """.formatted(directory.resolve("tool"), image(NONE), image(CODEC), image(CRYPTO));
    }

    @Override
    void prepareServer(ApiObjects server) {
        server.claims.rights.addAll(ClaimObjects.ROLE);
    }

    /**
     * An FPGA, images that are their names, and a tool that waits with the first image while a file {@code hangs}
     * exists.
     */
    @BeforeEach
    void plug() throws Exception {
        Path tool = Files.writeString(directory.resolve("tool"), """
                #!/bin/sh
                image=$(cat "$1")
                if [ "$image" = none ] && [ -e %1$s/hangs ]; then
                    touch %1$s/begun
                    until [ -e %1$s/go ]; do sleep 0.05; done
                fi
                echo "$image" >>%1$s/loaded
                """.formatted(directory));
        Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path images = Files.createDirectories(node.node.root().resolve("srv/images"));
        for (String name : List.of(NONE, CODEC, CRYPTO)) {
            Files.writeString(images.resolve(name), name);
        }
        node.node.plug(DemoNode.fpga());
        assertThat(node.server.await(slices -> TestSlices.names(slices).contains(FPGA)))
                .isNotEmpty();
    }

    private static JsonObject choosing(String name, String image) {
        return configured(name, FPGA, config("[]", parameters("\"fpga\":{\"image\":" + image + "}")));
    }

    private String errorChoosing(String name, String image) {
        node.server.put(choosing(name, "\"" + image + "\""));
        return error(name);
    }

    /** The images with which the FPGA was programmed, in their order. */
    private List<String> loaded() throws IOException {
        Path loaded = directory.resolve("loaded");
        return Files.exists(loaded) ? Files.readAllLines(loaded) : List.of();
    }

    @Test
    void fpgaIsProgrammedWithWhatItsClaimChoosesBeforeAContainerStarts() throws Exception {
        node.server.put(choosing("mine", "\"codec\""));
        prepare("mine");
        prepare("mine");
        assertThat(loaded()).containsExactly(CODEC);
        assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();

        node.allocate("yours", FPGA);
        prepare("yours");
        assertThat(loaded()).containsExactly(CODEC, NONE);
    }

    @Test
    void twoImagesOfOneFpgaExcludeEachOther() throws Exception {
        node.server.put(choosing("mine", "\"codec\""));
        prepare("mine");

        assertThat(errorChoosing("yours", CRYPTO))
                .startsWith("Claim default/yours cannot be prepared: its device ")
                .endsWith(" (claim mine)");
        assertThat(loaded()).containsExactly(CODEC);
        assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
        prepare("yours");
        assertThat(loaded()).containsExactly(CODEC, CRYPTO);
    }

    @Test
    void imageThatTheClassDoesNotAllowIsRefused() throws Exception {
        String mistakes = "Claim default/bad cannot be prepared: it or its DeviceClass has parameters that"
                + " example.com/fpga does not take: ";
        for (String image : List.of("\"none\"", "\"/srv/images/none\"", "\"\"", "7", "null", "[\"codec\"]")) {
            node.server.put(choosing("bad", image));
            assertThat(error("bad")).isEqualTo(mistakes + "fpga.image: must be one of codec, crypto");
        }
        node.server.put(
                configured("bad", FPGA, config("[]", parameters("\"fpga\":{\"file\":\"/x\"},\"vf\":{\"vlan\":7}"))));
        assertThat(error("bad"))
                .isEqualTo(mistakes + "fpga.file: unknown field, there are image"
                        + "; vf.vlan: its [class.claims] does not let claims choose it");
        assertThat(node.claims()).doesNotExist();
        assertThat(loaded()).isEmpty();
    }

    @Test
    void fpgaThatRefusesAnImageIsOfferedAgainOnceTheClaimIsReleased() throws Exception {
        Files.writeString(node.node.root().resolve("srv/images/codec"), "of somebody else");
        assertThat(errorChoosing("mine", CODEC)).contains("/srv/images/codec: its sha256 is ");
        assertThat(node.server.await(slices -> slices.toString().contains("edgeplug.io/unhealthy")))
                .isNotEmpty();

        assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
        assertThat(node.server.await(slices -> TestSlices.names(slices).contains(FPGA)
                        && !slices.toString().contains("\"taints\"")))
                .isNotEmpty();
        node.server.put(choosing("yours", "\"crypto\""));
        prepare("yours");
        assertThat(loaded()).containsExactly(CRYPTO);
    }

    private void awaitReady(String name) throws Exception {
        JsonObject ignored = node.server.awaitClaim(
                name, claim -> claim.toString().contains("\"type\":\"Ready\",\"status\":\"True\""));
    }

    private void putAwaited(String name, String image) {
        JsonObject claim = TestClaims.awaited(name, FPGA);
        JsonArray configs = new JsonArray();
        configs.add(config("[]", parameters("\"fpga\":{\"image\":\"" + image + "\"}")));
        TestClaims.devices(claim).add("config", configs);
        node.server.put(claim);
    }

    @Test
    void fpgaIsProgrammedBeforeThePodIsBoundAndNotAgainForTheKubelet() throws Exception {
        putAwaited("mine", CODEC);
        awaitReady("mine");
        assertThat(loaded()).containsExactly(CODEC);
        assertThat(error("mine")).isEmpty();

        assertThat(loaded()).containsExactly(CODEC);
    }

    @Test
    void fpgaThatWasReplacedBeforeTheKubeletAskedIsProgrammedAgain() throws Exception {
        putAwaited("mine", CODEC);
        awaitReady("mine");
        // With its slot, because the simulation brings both.
        node.node.pull(new PciAddress(0, 0x5d, 0, 0));
        assertThat(node.server.await(slices -> slices.toString().contains("\"gone\"")))
                .isNotEmpty();
        for (String image : List.of("blank", "codec", "crypto")) {
            Files.delete(node.node.root().resolve("srv/bitstreams/" + image + ".bin"));
        }
        node.node.plug(DemoNode.fpga());
        assertThat(node.server.await(slices -> TestSlices.names(slices).contains(FPGA)
                        && !slices.toString().contains("\"taints\"")))
                .isNotEmpty();

        prepare("mine");
        assertThat(loaded()).containsExactly(CODEC, CODEC);
    }

    /** The scheduler gives the FPGA to the second claim while it is being programmed for the first one. */
    @Test
    void twoClaimsThatWaitForTwoImagesOfOneFpgaHaveThemOneAfterTheOther() throws Exception {
        Files.createFile(directory.resolve("hangs"));
        node.server.put(TestClaims.awaited("mine", FPGA));
        Seen.untilSo("the FPGA is being programmed", () -> Files.exists(directory.resolve("begun")));
        node.server.put(TestClaims.deallocated("mine"));
        putAwaited("yours", CODEC);
        Files.createFile(directory.resolve("go"));

        awaitReady("yours");
        assertThat(loaded()).containsExactly(NONE, CODEC);
        assertThat(node.claims().resolve("uid-of-mine.json")).doesNotExist();
    }

    /** The kubelet would have given up after its 45 s. */
    @Test
    void imageThatTakesLongerThanItsClassAllowsIsWaitedFor() throws Exception {
        Files.createFile(directory.resolve("hangs"));
        try (LogLines log = LogLines.open()) {
            node.server.put(TestClaims.awaited("mine", FPGA));
            assertThat(log.await("is not prepared after 2 s")).isNotEmpty();
            Files.createFile(directory.resolve("go"));
            awaitReady("mine");
        }
        assertThat(loaded()).containsExactly(NONE);
    }

    /** Each preparation waits for the one before, which the kubelet has given up. */
    @Test
    void claimThatWasReleasedWhileItWaitedDoesNotProgramWhatTheNextOneHas() throws Exception {
        Files.createFile(directory.resolve("hangs"));
        node.allocate("first", FPGA);
        assertThat(error("first")).contains("is not prepared after 2 s");
        assertThat(node.kubelet.unprepare("first").getError()).isEmpty();
        assertThat(errorChoosing("second", CODEC)).contains("is not prepared after 2 s");
        assertThat(node.kubelet.unprepare("second").getError()).isEmpty();
        assertThat(errorChoosing("third", CRYPTO)).contains("is not prepared after 2 s");

        Files.createFile(directory.resolve("go"));
        prepare("third");
        assertThat(loaded()).containsExactly(NONE, CRYPTO);
    }
}
