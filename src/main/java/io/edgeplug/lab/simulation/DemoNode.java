package io.edgeplug.lab.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The trees of {@code edgeplug demo}: an edge node with an E810 port on each of two NUMA nodes. */
public final class DemoNode {

    private DemoNode() {}

    /** The node: two PFs with two VFs each, and two gophers. */
    public static String tree() {
        return resource("demo.tree");
    }

    /** A third VF of the first PF, {@code 0000:3b:01.2}, to be plugged. */
    public static String thirdVf() {
        return resource("demo-vf.tree");
    }

    /** An FPGA with a manager, {@code 0000:5e:00.0}, and images for it in {@code /srv/bitstreams}; to be added. */
    public static String fpga() {
        return resource("demo-fpga.tree");
    }

    private static String resource(String name) {
        try (InputStream in = DemoNode.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("cannot read " + name, e);
        }
    }
}
