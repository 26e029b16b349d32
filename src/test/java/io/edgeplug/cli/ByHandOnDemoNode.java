package io.edgeplug.cli;

import io.edgeplug.cli.options.Lines;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.rules.DeviceClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of what is done by hand to a VF of the demo's node, which no pod holds at first. */
abstract class ByHandOnDemoNode {

    static final String VF = "0000:3b:01.0";
    static final String FREE = "{\"Data\":{\"PodDeviceEntries\":null,\"RegisteredDevices\":{}},\"Checksum\":1}";
    static final String HELD = "{\"Data\":{\"PodDeviceEntries\":[{\"PodUID\":\"1f3a\",\"ContainerName\":\"main\","
            + "\"ResourceName\":\"example.com/vf\",\"DeviceIDs\":{\"0\":[\"" + VF + "\"]},\"AllocResp\":\"\"}],"
            + "\"RegisteredDevices\":{}},\"Checksum\":1}";

    @TempDir
    Path directory = Path.of("");

    final Console printed = new Console();

    @AutoClose
    SimulatedNode node;

    ByHand byHand;

    @BeforeEach
    final void unpack() throws IOException {
        node = SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node"));
        byHand = new ByHand(node.sysfs(), directory, new Lines(printed.writer()));
        checkpoint(FREE);
    }

    /** Has the kubelet note this. */
    final void checkpoint(String content) throws IOException {
        Files.writeString(directory.resolve("kubelet_internal_checkpoint"), content);
    }

    /** A class for the VF, with these lines. */
    final List<DeviceClass> classes(String lines) throws Exception {
        Path file = Files.writeString(directory.resolve("edgeplug.toml"), """
                [[class]]
                resource = "example.com/vf"
                kind = "vf"
                match = { pf_names = ["ens1f0"] }
                """ + lines);
        return ConfigFiles.read(file).classes();
    }

    /** What was printed, without times. */
    final String lines() {
        return printed.text().replaceAll("\\d+ ms", "N ms");
    }
}
