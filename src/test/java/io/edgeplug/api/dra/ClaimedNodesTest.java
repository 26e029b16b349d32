package io.edgeplug.api.dra;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.proto.pluginregistration.PluginInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Claims of files whose device nodes change. */
final class ClaimedNodesTest extends OnDraNode {

    @Override
    String classes() {
        return """
                [dra]
                [[class]]
                resource = "example.com/zigbee"
                api = "dra"
                kind = "path"
                match = { paths = ["/dev/serial/by-id/usb-zigbee-*"] }
                """;
    }

    private void plug(String device) throws IOException {
        Path dev = node.node.root().resolve("dev");
        Path links = Files.createDirectories(dev.resolve("serial/by-id"));
        Files.writeString(dev.resolve(device), "");
        Files.deleteIfExists(links.resolve("usb-zigbee-1"));
        Files.createSymbolicLink(links.resolve("usb-zigbee-1"), Path.of("../../" + device));
    }

    /** No container has the old node any more, and the claim is about to get the new one. */
    @Test
    void claimOfAStickThatIsAnotherNodeAfterABootIsPreparedAgain() throws Exception {
        plug("ttyUSB0");
        node.allocate("mine", "usb-zigbee-1");
        prepare("mine");
        assertThat(node.specification("mine")).contains("/dev/ttyUSB0");

        node.stopDaemon();
        node.loseWhatABootTakes();
        Files.delete(node.node.root().resolve("dev/ttyUSB0"));
        plug("ttyUSB1");
        node.startDaemon();
        PluginInfo ignored = node.kubelet.register();
        prepare("mine");

        assertThat(node.specification("mine")).contains("/dev/ttyUSB1");
    }
}
