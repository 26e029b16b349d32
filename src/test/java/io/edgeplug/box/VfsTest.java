package io.edgeplug.box;

import static io.edgeplug.box.Installation.PF0;
import static io.edgeplug.box.Installation.PF1;
import static io.edgeplug.box.Installation.VFIO;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** VFs as the configuration asks for them: at boot, by hand, and of adapters that are plugged in. */
@NodeScenario
final class VfsTest {

    /** Prints a PF's view of its VFs, each VF's driver, and each VF's inode, which changes if the VF is made again. */
    private static final String STATE = """
            for pf in %s; do
                ip link show dev $(ls /sys/bus/pci/devices/$pf/net | head -1) | grep ' vf '
                for vf in /sys/bus/pci/devices/$pf/virtfn*; do
                    echo $(basename $(readlink -f $vf)) $(basename $(readlink $vf/driver)) $(stat -L -c %%i $vf)
                done
            done
            """;

    @Test
    void vfsAreThereBeforeTheKubeletWhenTheNodeBootsWithTheSameAddresses(Node node) throws Exception {
        write(node, 4);
        node.run("edgeplug vfs apply");
        String macs = macs(node);
        assertThat(macs.lines()).hasSize(8).doesNotHaveDuplicates().doesNotContain("00:00:00:00:00:00");

        node.reboot();

        node.kubelet().awaitDevices(VFIO, vfs(4));
        assertThat(node.run("journalctl -b -o cat --no-pager _PID=1 | sed -n -E"
                                + " 's/^(Finished edgeplug-vfs|Started edgeplug|Started kubelet).service.*/\\1/p'")
                        .split("\n"))
                .containsExactly("Finished edgeplug-vfs", "Started edgeplug", "Started kubelet");
        assertThat(macs(node)).isEqualTo(macs);
        assertThat(NodeKubelet.variable(node.kubelet().run("pod", VFIO + "=1"), "PCIDEVICE_EXAMPLE_COM_VFIO"))
                .startsWith("0000:");
    }

    @Test
    void numberChangesUntilAPodHoldsAVfWhichIsThenNamed(Node node) throws Exception {
        write(node, 4);
        node.run("edgeplug vfs apply");
        node.kubelet().awaitDevices(VFIO, vfs(4));
        write(node, 7);
        node.run("edgeplug vfs apply");
        node.kubelet().awaitDevices(VFIO, vfs(7));
        String held = NodeKubelet.variable(node.kubelet().run("pod", VFIO + "=1"), "PCIDEVICE_EXAMPLE_COM_VFIO");
        String pf = held.replaceFirst("10\\..", "00.0");
        String before = node.run(STATE.formatted(pf));

        write(node, 2);
        String refused = node.run("edgeplug vfs apply && exit 1; [ $? = 1 ] && edgeplug vfs apply || true");

        assertThat(refused)
                .contains(pf + " ")
                .contains(": is not as wanted: has 7 and not 2 VFs")
                .contains(held + ": container ");
        assertThat(node.run(STATE.formatted(pf))).isEqualTo(before);
    }

    /** The kernel's signs of how far a run has come. Only the last stage is tested, and all with {@code -Dsoak}. */
    static List<String> stages() {
        List<String> all = List.of(
                "[ $(cat $pf/sriov_drivers_autoprobe) = 0 ]",
                "[ $(cat $pf/sriov_numvfs) = 7 ]",
                "[ -e $pf/virtfn6/physfn ]",
                "ip link show dev $net | grep 'vf 3 ' | grep -qv 00:00:00:00:00:00",
                "[ -e $pf/virtfn2/driver ]");
        return System.getProperty("soak") == null ? List.of(all.getLast()) : all;
    }

    /** The run is killed once the kernel shows that it has come that far. */
    @ParameterizedTest
    @MethodSource("stages")
    void nextRunFinishesWhatAKilledOneLeft(String far, Node node) throws Exception {
        write(node, 7);
        node.run("""
                pf=/sys/bus/pci/devices/%s
                net=$(ls $pf/net)
                setsid edgeplug vfs apply %s >/run/killed 2>&1 &
                run=$!
                while ! %s; do kill -0 $run || exit 1; done
                kill -9 -$run
                wait $run
                """.formatted(PF1, PF1, far) + "[ $? = 137 ]");

        node.run("edgeplug vfs apply");

        assertThat(node.run("edgeplug vfs plan").lines().filter(line -> line.startsWith("  done")))
                .hasSize(2);
        node.kubelet().awaitDevices(VFIO, vfs(7));
        assertThat(node.run("cat /sys/bus/pci/devices/*/sriov_drivers_autoprobe")
                        .lines())
                .containsOnly("1");
    }

    @Test
    void adapterThatIsPluggedGetsItsVfsEachTime(Node node) throws Exception {
        write(node, 2);
        Installation.reload(node);
        String[] here = vfs(2);
        node.kubelet().awaitDevices(VFIO, here);
        for (int round = 0; round < 2; round++) {
            node.plug(Card.igb());
            node.kubelet()
                    .awaitDevices(
                            VFIO,
                            Stream.concat(
                                            Stream.of("0000:01:10.0 on NUMA 0,1", "0000:01:10.2 on NUMA 0,1"),
                                            Stream.of(here))
                                    .toArray(String[]::new));
            node.pull(Card.igb());
            node.kubelet().awaitDevices(VFIO, here);
        }
    }

    @Test
    void udevThatGoesThroughAllDevicesAgainChangesNothing(Node node) throws Exception {
        write(node, 4);
        node.run("edgeplug vfs apply");
        String before = node.run(STATE.formatted(PF0 + " " + PF1));

        node.run("udevadm trigger --settle; systemctl restart systemd-udevd; udevadm trigger --action=add --settle");
        node.run("edgeplug vfs apply");

        assertThat(node.run(STATE.formatted(PF0 + " " + PF1))).isEqualTo(before);
    }

    private static void write(Node node, int count) throws Exception {
        node.write("/etc/edgeplug/edgeplug.toml", Installation.CONFIG + """

                [[vfs]]
                count = %d
                driver = "vfio-pci"
                mac = "fixed"
                match = { drivers = ["igb"] }
                """.formatted(count));
    }

    private static String macs(Node node) throws Exception {
        return node.run("ip link | grep -oE ' vf [0-9].*link/ether [0-9a-f:]*' | grep -oE '[0-9a-f:]{17}'");
    }

    /** The first VFs of both adapters, as the kubelet prints them. */
    private static String[] vfs(int count) {
        return Stream.of("0000:21:1", "0000:41:1")
                .flatMap(slots -> IntStream.range(0, count)
                        // every second function, and eight functions a slot
                        .mapToObj(index -> slots + index / 4 + "." + 2 * (index % 4) + " on NUMA "
                                + (slots.contains(":21:") ? 0 : 1)))
                .toArray(String[]::new);
    }
}
