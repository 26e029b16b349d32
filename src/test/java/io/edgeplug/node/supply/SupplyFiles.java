package io.edgeplug.node.supply;

import io.edgeplug.api.kubelet.Closing;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.io.TempDir;

/** Where the files of a {@link SupplyNode} are while a test runs. */
abstract class SupplyFiles {

    @TempDir
    Path directory = Path.of("");

    @AutoClose
    final Closing closing = new Closing();

    Path cdi() {
        return SupplyNode.directories(directory).cdi();
    }

    Path deviceInfo() {
        return SupplyNode.directories(directory).deviceInfo();
    }
}
