package io.edgeplug.box;

import static io.edgeplug.box.Installation.NIC;
import static io.edgeplug.box.Installation.PF0;
import static io.edgeplug.box.Installation.PF1;
import static io.edgeplug.box.Installation.VF;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

@NodeScenario
final class DaemonTest {

    private static final String ADDRESS = "0000:41:10.0 on NUMA 1";

    @Test
    void daemonThatIsKilledIsStartedAnewAndTellsWhatHappenedMeanwhile(Node node) throws Exception {
        node.run("systemctl kill -s KILL edgeplug.service; echo 1 >/sys/bus/pci/devices/" + PF1 + "/sriov_numvfs");
        node.kubelet().awaitEnd(VF);

        node.kubelet().awaitDevices(VF, ADDRESS);
    }

    @Test
    void daemonThatIsStuckIsStartedAnewByTheWatchdog(Node node) throws Exception {
        Installation.override(node, "[Service]\nWatchdogSec=60s");
        node.kubelet().forget();
        node.run("systemctl restart edgeplug.service");
        node.kubelet().awaitEnd(VF);
        node.kubelet().awaitDevices(VF);

        node.run("systemctl kill -s STOP edgeplug.service");
        node.kubelet().awaitEnd(VF);
        node.vfs(PF1, 1);

        node.kubelet().awaitDevices(VF, ADDRESS);
        assertThat(node.run("journalctl -u edgeplug.service -o cat --no-pager")).contains("Watchdog timeout");
    }

    @Test
    void configurationWithAMistakeIsToldAndChangesNothing(Node node) throws Exception {
        node.run("echo 'kind = ' >>/etc/edgeplug/edgeplug.toml; ! systemctl reload edgeplug.service");
        node.vfs(PF1, 1);

        node.kubelet().awaitDevices(VF, ADDRESS);
        assertThat(node.run("journalctl -u edgeplug.service -o cat --no-pager")).contains("edgeplug.toml");
    }

    @Test
    void reloadMovesDevicesToTheirNewClass(Node node) throws Exception {
        node.vfs(PF1, 1);
        node.kubelet().awaitDevices(VF, ADDRESS);

        Installation.configure(node, Installation.CONFIG.replace("example.com/vf\"", "example.com/other\""));

        node.kubelet().awaitDevices("example.com/other", ADDRESS);
    }

    @Test
    void clockThatIsSetForwardAndBackChangesNothing(Node node) throws Exception {
        node.run("date -s '+400 days'");
        node.vfs(PF1, 1);
        node.kubelet().awaitDevices(VF, ADDRESS);

        node.run("date -s '-800 days'");
        node.vfs(PF1, 0);
        node.kubelet().awaitDevices(VF);
    }

    @Test
    void tenThousandUeventsAreTakenWithinTheMemoryOfAnIdleDaemon(Node node) throws Exception {
        Installation.override(node, "[Service]\nMemoryMax=128M\nMemorySwapMax=0");
        node.kubelet().forget();
        node.run("systemctl restart edgeplug.service");
        node.kubelet().awaitEnd(VF);
        node.kubelet().awaitDevices(VF);
        // In an emulated node, udevd alone would take minutes for them.
        node.run("systemctl stop systemd-udevd-control.socket systemd-udevd-kernel.socket systemd-udevd.service");

        node.run("for i in $(seq 5000); do for pf in " + PF0 + " " + PF1
                + "; do echo change >/sys/bus/pci/devices/$pf/uevent; done; done");
        node.run("modprobe igbvf; echo 1 >/sys/bus/pci/devices/" + PF1 + "/sriov_numvfs");

        node.kubelet().awaitDevices(VF, ADDRESS);
        String cgroup = "/sys/fs/cgroup/system.slice/edgeplug.service/";
        System.err.println("peak of the daemon's memory, of 128 MiB: " + node.run("cat " + cgroup + "memory.peak"));
        assertThat(node.run("systemctl show -P NRestarts edgeplug.service; grep ^oom_kill " + cgroup + "memory.events"))
                .isEqualTo("0\noom_kill 0");
    }

    @Test
    void kubeletOfAnotherNameServesBeforeTheDaemonStartsWhenTheNodeBoots(Node node) throws Exception {
        // k3s is such a kubelet, and nothing orders it after edgeplug.
        node.run("cd /etc/systemd/system; cp kubelet.service k3s.service;"
                + " systemctl disable kubelet.service; systemctl enable k3s.service");
        Installation.override(node, "[Unit]\nAfter=k3s.service");
        node.reboot();

        node.kubelet().awaitDevices(NIC, PF0 + " on NUMA 0", PF1 + " on NUMA 1");
        assertThat(node.run("journalctl -b -o cat --no-pager _PID=1 | sed -n -E"
                                + " 's/^(Started (k3s|kubelet|edgeplug).service).*/\\1/p'")
                        .split("\n"))
                .containsExactly("Started k3s.service", "Started edgeplug.service");
        node.vfs(PF1, 1);
        node.kubelet().awaitDevices(VF, ADDRESS);
    }
}
