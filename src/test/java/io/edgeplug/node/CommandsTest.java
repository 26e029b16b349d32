package io.edgeplug.node;

import static io.edgeplug.node.Installation.PF1;
import static io.edgeplug.node.Installation.VF;

import org.junit.jupiter.api.Test;

/** Commands that an administrator types on a node with VFs. */
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

    private static void awaitWatched(Node node, String pattern) throws Exception {
        node.run("until grep -Eq '" + pattern + "' /run/watched; do sleep 0.2; done");
    }
}
