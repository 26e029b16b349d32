package io.edgeplug.box;

import static io.edgeplug.box.Installation.PF1;
import static io.edgeplug.box.Installation.VFIO;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Containers with everything that the kubelet was told for them. */
@NodeScenario
final class ContainerTest {

    /** What the container prints: the groups of VFIO that it sees, and that it may open its own and make none. */
    private static final String LOOK = "ls /dev/vfio; true <>/dev/vfio/vfio && echo opened;"
            + " mknod /dev/disk b 254 0 && cat /dev/disk >/dev/null || echo no disk; echo $PCIDEVICE_EXAMPLE_COM_VFIO";

    @Test
    void containerdGivesItTheNodesThatItWasAllocatedAndNoOthers(Node node) throws Exception {
        JsonObject allocation = allocated(node);
        String devices = allocation.getAsJsonArray("devices").asList().stream()
                .map(JsonElement::getAsJsonObject)
                .map(device -> " --device " + device.get("hostPath").getAsString())
                .collect(Collectors.joining());

        assertThat(node.run("systemctl start containerd; ctr run --rm --rootfs --env PATH=/bin" + devices
                        + env(allocation) + " /root/container scenario sh -c '" + LOOK + "'"))
                .isEqualTo(seenOf(node, allocation));
    }

    @Test
    void cdiGivesItTheSame(Node node) throws Exception {
        Installation.configure(
                node, Installation.CONFIG.replace("\"example.com/vfio\"", "\"example.com/vfio\"\nhand_over = \"cdi\""));
        JsonObject allocation = allocated(node);
        String devices = allocation.getAsJsonArray("cdiDevices").asList().stream()
                .map(name -> " --device " + name.getAsString())
                .collect(Collectors.joining());
        assertThat(devices).isEqualTo(" --device example.com/vfio=" + id(allocation));

        // ctr does not support CDI, and podman reads it with the same library as containerd does for a kubelet.
        assertThat(node.run("podman run --rm --network host --cap-add mknod" + devices + env(allocation)
                        + " --rootfs /root/container sh -c '" + LOOK + "'"))
                .isEqualTo(seenOf(node, allocation));
    }

    /** A pod with one of two functions. */
    private static JsonObject allocated(Node node) throws Exception {
        node.run("""
                mkdir -p /root/container/bin /root/container/dev /root/container/proc /root/container/sys
                cp /bin/busybox /root/container/bin/
                for name in sh ls cat mknod true; do ln -s busybox /root/container/bin/$name; done
                modprobe vfio-pci
                """);
        node.vfs(PF1, 2);
        node.run("udevadm settle");
        node.rebind("0000:41:10.0", "vfio-pci");
        node.rebind("0000:41:10.2", "vfio-pci");
        node.kubelet().awaitDevices(VFIO, "0000:41:10.0 on NUMA 1", "0000:41:10.2 on NUMA 1");
        return node.kubelet().run("pod", VFIO + "=1");
    }

    /** The output of {@link #LOOK} in a container that has what it was allocated, and nothing else. */
    private static String seenOf(Node node, JsonObject allocation) throws Exception {
        String id = id(allocation);
        String group = node.run("basename $(readlink /sys/bus/pci/devices/" + id + "/iommu_group)");
        return group + "\nvfio\nopened\nno disk\n" + id;
    }

    private static String env(JsonObject allocation) {
        return " --env PCIDEVICE_EXAMPLE_COM_VFIO=" + id(allocation);
    }

    private static String id(JsonObject allocation) {
        return NodeKubelet.variable(allocation, "PCIDEVICE_EXAMPLE_COM_VFIO");
    }
}
