package io.edgeplug.dra;

import io.edgeplug.proto.pluginregistration.PluginInfo;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of claims on a {@link DraNode} whose driver the kubelet has taken up. */
abstract class OnDraNode {

    @TempDir
    Path directory = Path.of("");

    DraNode node;

    /** The configuration of the node. */
    String classes() {
        return DraNode.CLASSES;
    }

    @BeforeEach
    final void open() throws Exception {
        node = DraNode.open(directory, classes());
        PluginInfo ignored = node.register();
    }

    @AfterEach
    final void close() throws Exception {
        node.close();
    }

    /** Why a claim is not prepared; empty if it is. */
    final String error(String name) {
        return node.prepare(name).getError();
    }
}
