package io.edgeplug.node.vfs;

import static io.edgeplug.node.vfs.SriovNode.FUNCTIONS;
import static io.edgeplug.node.vfs.SriovNode.PF0;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of what is done to a {@link SriovNode}. */
abstract class OnSriovNode {

    static final String COUNT = FUNCTIONS + PF0 + "/sriov_numvfs";
    static final String AUTOPROBE = FUNCTIONS + PF0 + "/sriov_drivers_autoprobe";
    static final String FIRST_VF = "0000:41:10.0";

    @TempDir
    Path root = Path.of("");

    @AutoClose
    SriovNode node;

    @BeforeEach
    final void unpack() throws IOException {
        node = SriovNode.unpack(root.resolve("node"));
    }

    /** Has another node in place of the usual one. */
    final void unpack(UnaryOperator<String> pf0) throws IOException {
        node.close();
        node = SriovNode.unpack(root.resolve("other"), pf0);
    }
}
