package io.edgeplug.api.dra;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.proto.pluginregistration.PluginInfo;
import io.edgeplug.system.flow.Deadline;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of claims on a {@link DraNode} whose driver the kubelet has accepted. */
abstract class OnDraNode {

    @TempDir
    Path directory = Path.of("");

    @AutoClose
    DraNode node;

    /** The configuration of the node. */
    String classes() throws Exception {
        return DraNode.CLASSES;
    }

    /** Makes the API server allow more, or less, before the daemon starts. */
    void prepareServer(ApiObjects server) {}

    @BeforeEach
    final void open() throws Exception {
        node = DraNode.open(directory, DemoNode.tree(), classes(), this::prepareServer);
        PluginInfo ignored = node.kubelet.register();
    }

    /** How often the node's first VF was reset. */
    final long resets() {
        return node.node.acts().stream().filter(DraNode.RESET::equals).count();
    }

    /** Why a claim is not prepared; empty if it is. */
    final String error(String name) {
        return node.kubelet.prepare(name).getError();
    }

    /** Asks like the kubelet until a claim is prepared, because one try may be too short on a busy machine. */
    final void prepare(String name) {
        Deadline patience = Deadline.in(DraNode.PATIENCE);
        String error = error(name);
        while (!error.isEmpty()) {
            assertThat(patience.isOver()).as(error).isFalse();
            error = error(name);
        }
    }

    /** The keys of an image whose content is its name. */
    static String image(String name) throws Exception {
        byte[] sha256 = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
        return "file = \"/srv/images/%s\"\nsha256 = \"%s\""
                .formatted(name, HexFormat.of().formatHex(sha256));
    }
}
