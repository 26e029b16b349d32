package io.edgeplug.box;

import java.io.IOException;
import java.util.concurrent.TimeoutException;

/** The package as scenarios find it: running, with classes for the devices of the box, and known to the kubelet. */
final class Installation {

    static final String VF = "example.com/vf";
    static final String VFIO = "example.com/vfio";
    static final String NIC = "example.com/nic";
    static final String HCA = "example.com/hca";
    static final String FPGA = "example.com/fpga";

    /** The adapter of each NUMA node. */
    static final String PF0 = "0000:21:00.0";

    static final String PF1 = "0000:41:00.0";

    static final String CONFIG = """
            [[class]]
            resource = "example.com/vf"
            kind = "vf"
            match = { drivers = ["igbvf"] }

            [[class]]
            resource = "example.com/vfio"
            kind = "vf"
            match = { drivers = ["vfio-pci"] }

            [[class]]
            resource = "example.com/nic"
            kind = "nic"
            match = { drivers = ["igb"] }

            [[class]]
            resource = "example.com/hca"
            kind = "hca"
            match = { is_rdma = true }
            health = { link = "up" }

            [[class]]
            resource = "example.com/fpga"
            kind = "fpga"
            match = { devices = ["11e8"] }
            """;

    private Installation() {}

    static void start(Node node, Machine machine) throws IOException, InterruptedException, TimeoutException {
        node.run("rm -f /etc/edgeplug/class.d/*.toml");
        node.write("/etc/edgeplug/edgeplug.toml", CONFIG);
        // These limits are long, because the emulated node needs a minute for a second's work.
        node.write("/etc/systemd/system/edgeplug.service.d/emulated.conf", """
                [Service]
                TimeoutStartSec=15min
                WatchdogSec=10min
                """);
        // Compiling costs an emulated processor more than it saves: a command takes 22 s instead of 35.
        node.run(
                "sed -i 's/^-XX:CompileThresholdScaling=.*/-XX:CompileThresholdScaling=20/' /usr/lib/edgeplug/jvm.options");
        node.run("systemctl daemon-reload && systemctl enable kubelet.service");
        node.run("systemctl restart edgeplug.service || { journalctl -u edgeplug --no-pager; exit 1; }");
        node.run("systemctl start kubelet.service");
        node.kubelet()
                .awaitDevices(
                        NIC,
                        machine == Machine.ARM64_BOARD
                                ? new String[0]
                                : new String[] {PF0 + " on NUMA 0", PF1 + " on NUMA 1"});
        node.kubelet().awaitDevices(VF);
        node.kubelet().awaitDevices(VFIO);
        node.kubelet().awaitDevices(HCA);
        node.kubelet().awaitDevices(FPGA);
    }

    /** Replaces all classes, which the running daemon takes up. */
    static void configure(Node node, String classes) throws IOException, InterruptedException, TimeoutException {
        node.write("/etc/edgeplug/edgeplug.toml", classes);
        reload(node);
    }

    /**
     * Has the daemon read its configuration again, and waits until it serves accordingly. systemctl itself may return
     * before the daemon has told systemd that it is reloading. A device that came then would get the old classes.
     */
    static void reload(Node node) throws IOException, InterruptedException, TimeoutException {
        node.run("""
                reloads() { journalctl -q -b -o cat --no-pager -u edgeplug.service | grep -c '^configuration read again' || true; }
                before=$(reloads)
                systemctl reload edgeplug.service || { edgeplug check; exit 1; }
                while [ "$(reloads)" = "$before" ] || [ "$(systemctl show -P ActiveState edgeplug.service)" = reloading ]; do
                    sleep 0.1
                done
                """);
    }

    /** Changes the service's unit, from its next start on. */
    static void override(Node node, String lines) throws IOException, InterruptedException, TimeoutException {
        node.write("/etc/systemd/system/edgeplug.service.d/scenario.conf", lines);
        node.run("systemctl daemon-reload");
    }
}
