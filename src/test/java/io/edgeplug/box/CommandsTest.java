package io.edgeplug.box;

import static io.edgeplug.box.Installation.PF1;
import static io.edgeplug.box.Installation.VF;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Commands that an administrator types on a node with VFs, one of which a pod may hold. */
@NodeScenario
final class CommandsTest {

    private static final int COLUMNS = 80;

    private static final String FREE = "0000:41:10.2";

    private static final String OLD_CONFIG = """
            {
              "resourceList": [
                {
                  "resourceName": "old_vf",
                  "selectors": [{"drivers": ["igbvf"], "rootDevices": ["%s"]}]
                }
              ]
            }
            """.formatted(PF1);

    /** This kubelet reports no names of pods, so the UID of a pod stands for it. */
    @Test
    void eachShowsTheHolderOfADeviceInATerminalAndPiped(Node node) throws Exception {
        node.vfs(PF1, 2);
        node.kubelet().awaitDevices(VF, "0000:41:10.0 on NUMA 1", FREE + " on NUMA 1");
        String held = NodeKubelet.variable(node.kubelet().run("dpdk-0", VF + "=1"), "PCIDEVICE_EXAMPLE_COM_VF");
        node.run("until edgeplug status >/run/status; grep -q '^" + held
                + " .* dpdk-0' /run/status; do sleep 0.2; done");

        Map<String, String> holders = Map.of(
                "status",
                "dpdk-0",
                "list -o +CONTAINER " + VF,
                "main",
                "explain " + held,
                "held by pod dpdk-0 (main)",
                "topology",
                "dpdk-0");
        for (String command : holders.keySet()) {
            String holder = holders.get(command);
            assertThat(node.run("edgeplug " + command))
                    .as(command)
                    .contains(held, holder)
                    .doesNotContain("\u001b");
            String seen = inTerminal(node, "edgeplug " + command);
            assertThat(seen).as(command).contains(held, holder);
            assertThat(seen.lines())
                    .as(command)
                    .allSatisfy(line -> assertThat(width(line)).isLessThanOrEqualTo(COLUMNS));
        }
        assertThat(node.run("edgeplug topology -o /run/node.svg && cat /run/node.svg"))
                .startsWith("<svg")
                .contains(held, "dpdk-0")
                .doesNotContain("<script");
    }

    @Test
    void watchedStatusShowsThatAVfIsGone(Node node) throws Exception {
        node.vfs(PF1, 2);
        node.kubelet().awaitDevices(VF, "0000:41:10.0 on NUMA 1", FREE + " on NUMA 1");
        node.run("edgeplug status --watch >/run/watched 2>&1 & echo $! >/run/watcher");
        awaitWatched(node, VF + " +2 +2 ");

        node.vfs(PF1, 0);

        awaitWatched(node, VF + " +0 +0 ");
        node.run("kill $(cat /run/watcher)");
    }

    @Test
    void convertedClassTakesTheDevicesOfTheOldOne(Node node) throws Exception {
        node.vfs(PF1, 2);
        node.kubelet().awaitDevices(VF, "0000:41:10.0 on NUMA 1", FREE + " on NUMA 1");
        node.write("/root/config.json", OLD_CONFIG);

        node.run("edgeplug convert /root/config.json --domain example.com >/etc/edgeplug/edgeplug.toml");
        Installation.reload(node);

        node.kubelet().awaitDevices("example.com/old_vf", "0000:41:10.0 on NUMA 1", FREE + " on NUMA 1");
    }

    /** What the command prints on a narrow terminal, without what it logs. */
    private static String inTerminal(Node node, String command) throws Exception {
        return node.run("script -qec 'stty cols %d rows 60; %s 2>/dev/null' /dev/null </dev/null | tr -d '\\r'"
                .formatted(COLUMNS, command));
    }

    /** The columns that a line takes, without its colours. A word that fits in no line of a terminal stays whole. */
    private static int width(String line) {
        String text = line.replaceAll("\u001b\\[[0-9;]*m", "").replaceAll("\\S{61,}", ".");
        return text.codePointCount(0, text.length());
    }

    private static void awaitWatched(Node node, String pattern) throws Exception {
        node.run("until grep -Eq '" + pattern + "' /run/watched; do sleep 0.2; done");
    }
}
