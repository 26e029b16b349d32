package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.TestClaims.config;
import static io.edgeplug.api.dra.TestClaims.configured;
import static io.edgeplug.api.dra.TestClaims.parameters;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Seen;
import io.edgeplug.lab.simulation.DemoNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A choice of a claim that fails only after the claim was released. */
@Timeout(90)
final class LateFailureTest extends OnDraNode {

    private static final String FPGA = "0000-5e-00-0";
    private static final String ID = "0000:5e:00.0";

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
                """.formatted(directory.resolve("tool"), image("none"), image("codec"));
    }

    /** A tool that waits with the image of a claim, and then fails. */
    @BeforeEach
    void plug() throws Exception {
        Path tool = Files.writeString(directory.resolve("tool"), """
                #!/bin/sh
                image=$(cat "$1")
                if [ "$image" = codec ]; then
                    until [ -e %1$s/go ]; do sleep 0.05; done
                    echo "wrong image" >&2
                    exit 1
                fi
                """.formatted(directory));
        Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path images = Files.createDirectories(node.node.root().resolve("srv/images"));
        for (String name : new String[] {"none", "codec"}) {
            Files.writeString(images.resolve(name), name);
        }
        node.node.plug(DemoNode.fpga());
        assertThat(node.server.await(slices -> TestSlices.names(slices).contains(FPGA)))
                .isNotEmpty();
    }

    @Test
    void fpgaWhoseImageFailsOnlyAfterTheReleaseIsOfferedAgain() throws Exception {
        node.server.put(configured("mine", FPGA, config("[]", parameters("\"fpga\":{\"image\":\"codec\"}"))));
        assertThat(error("mine")).contains("is not prepared after 2 s");
        assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
        Seen.untilSo("no holder", () -> node.holder(ID).isEmpty());

        Files.createFile(directory.resolve("go"));
        Seen.untilSo("the end", () -> node.custody(ID).work().isEmpty());

        assertThat(node.custody(ID).problem()).isEmpty();
        assertThat(node.server.await(slices -> TestSlices.names(slices).contains(FPGA)
                        && !slices.toString().contains("\"taints\"")))
                .isNotEmpty();
    }
}
