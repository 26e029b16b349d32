package io.edgeplug.node;

import static io.edgeplug.node.Installation.PF1;
import static io.edgeplug.node.Installation.VF;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Commands that an administrator types on a node while a pod holds one of its VFs. */
@NodeScenario
final class CommandsTest {

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

    @Test
    void eachShowsTheDeviceInEachTerminalAndPiped(Node node) throws Exception {
        String held = heldByPod(node);
        awaitStatus(node, "pod");
        for (String command : List.of("status", "list -o +POD", "explain " + held, "topology")) {
            String piped = node.run("edgeplug " + command);
            assertThat(piped).as(command).contains(held, "pod").doesNotContain("\u001b");
            for (int columns : List.of(80, 200)) {
                String seen = inTerminal(node, columns, "edgeplug " + command);
                assertThat(seen).as(command).contains(held);
                assertThat(seen.lines())
                        .as(command)
                        .allSatisfy(line -> assertThat(width(line)).isLessThanOrEqualTo(columns));
            }
        }
        assertThat(node.run("edgeplug topology -o /run/node.svg && cat /run/node.svg"))
                .startsWith("<svg")
                .contains(held, FREE, "pod")
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

    /** The VF that a pod has, of two. */
    private static String heldByPod(Node node) throws Exception {
        node.vfs(PF1, 2);
        node.kubelet().awaitDevices(VF, "0000:41:10.0 on NUMA 1", FREE + " on NUMA 1");
        return NodeKubelet.variable(node.kubelet().run("pod", VF + "=1"), "PCIDEVICE_EXAMPLE_COM_VF");
    }

    private static String inTerminal(Node node, int columns, String command) throws Exception {
        return node.run("script -qec 'stty cols %d rows 60; %s' /dev/null </dev/null | tr -d '\\r'"
                .formatted(columns, command));
    }

    private static int width(String line) {
        String text = line.replaceAll("\u001b\\[[0-9;]*m", "");
        return text.codePointCount(0, text.length());
    }

    private static void awaitStatus(Node node, String text) throws Exception {
        node.run("until edgeplug status | grep -q '" + text + "'; do sleep 1; done");
    }

    private static void awaitWatched(Node node, String pattern) throws Exception {
        node.run("until grep -Eq '" + pattern + "' /run/watched; do sleep 0.2; done");
    }
}
