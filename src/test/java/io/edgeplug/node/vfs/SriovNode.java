package io.edgeplug.node.vfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.simulation.Interference;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.config.ConfigException;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.rules.WantedVfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;

/** A simulated node with two igb ports, on which VFs are made by a simulated kernel and a stand-in for ip. */
final class SriovNode implements AutoCloseable {

    static final String PF0 = "0000:41:00.0";
    static final String PF1 = "0000:41:00.1";

    static final String FUNCTIONS = "sys/bus/pci/devices/";

    /** Where a PF's VFs are; without this, the kernel makes none by itself. */
    static final String PLACING = "sriov_offset = 128\nsriov_stride = 2";

    /** None is waited for: whatever is late here is stuck. */
    static final Duration LONG = Duration.ofMinutes(2);

    private static final Duration SHORT = Duration.ofMillis(300);

    static final VfsDeadlines PATIENT = new VfsDeadlines(LONG, LONG, LONG, LONG, LONG, LONG, Duration.ofMillis(20));
    static final VfsDeadlines HASTY = new VfsDeadlines(SHORT, LONG, SHORT, SHORT, LONG, SHORT, LONG);

    /** Keeps what a PF is told of each VF, as long as that VF is there, and prints it as ip does. */
    private static final String IP = """
            #!/bin/sh
            node=$(cd "$(dirname "$0")/.." && pwd)
            if [ "$1" = -json ]; then
                separator=
                printf '[{"ifname":"%s","vfinfo_list":[' "$5"
                for vf in "$node/said/$5/"*; do
                    [ -e "$vf" ] || continue
                    printf '%s{"vf":%s' "$separator" "${vf##*/}"
                    cat "$vf"/*
                    printf '}'
                    separator=,
                done
                echo ']}]'
                exit
            fi
            echo "$*" >>"$node/ip.log"
            if [ -e "$node/ip.fails" ]; then
                echo "RTNETLINK answers: Operation not supported" >&2
                exit 2
            fi
            net=$4
            [ "$5" = vf ] || exit 0
            said=$node/said/$net/$6
            mkdir -p "$said"
            shift 6
            while [ $# -gt 1 ]; do
                case $1 in
                    mac) printf ',"address":"%s"' "$2" >"$said/mac" ;;
                    trust) printf ',"trust":%s' "$(test "$2" = on && echo true || echo false)" >"$said/trust" ;;
                esac
                shift 2
            done
            """;

    /** Changes the eswitch where the drivers do: mlx5_core while no VF has a driver, others while there are none. */
    private static final String DEVLINK = """
            #!/bin/sh
            node=$(cd "$(dirname "$0")/.." && pwd)
            [ "$1" = -j ] && shift
            pf=$node/sys/bus/pci/devices/${4#pci/}
            mode=$node/eswitch/${4#pci/}
            inTheWay=
            [ "$3" = show ] || echo "$*" >>"$node/devlink.log"
            case $(basename "$(readlink "$pf/driver")") in
                mlx5_core) inTheWay=/driver ;;
                igb) echo "kernel answers: Operation not supported" >&2; exit 1 ;;
            esac
            if [ "$3" = show ]; then
                printf '{"dev":{"%s":{"mode":"%s","inline-mode":"none","encap-mode":"basic"}}}\n' \
                    "$4" "$(cat "$mode" 2>/dev/null || echo legacy)"
                exit
            fi
            for vf in "$pf"/virtfn*; do
                if [ -e "$vf$inTheWay" ]; then
                    echo "kernel answers: Device or resource busy" >&2
                    exit 1
                fi
            done
            mkdir -p "$node/eswitch"
            echo "$6" >"$mode"
            """;

    private final SimulatedNode node;
    private final List<VfsApply.Event> events = Collections.synchronizedList(new ArrayList<>());

    private SriovNode(SimulatedNode node) {
        this.node = node;
    }

    static SriovNode unpack(Path root) throws IOException {
        return unpack(root, pf0 -> pf0);
    }

    /** One whose first PF is another. */
    static SriovNode unpack(Path root, UnaryOperator<String> pf0) throws IOException {
        SimulatedNode node = SimulatedNode.unpack("""
                [sys/bus/pci]
                drivers_probe = x
                drivers/igbvf/bind = x
                drivers/igbvf/unbind = x
                drivers/iavf/bind = x
                drivers/mlx5_core/bind = x
                drivers/mlx5_core/unbind = x
                drivers/vfio-pci/bind = x
                drivers/vfio-pci/unbind = x
                drivers/igb/bind = x
                drivers/ice/bind = x
                """ + pf0.apply(pf(PF0, "ens1")) + pf(PF1, "ens2"), root);
        Path programs = Files.createDirectories(node.root().resolve("sbin"));
        install(programs.resolve("ip"), IP);
        install(programs.resolve("devlink"), DEVLINK);
        install(programs.resolve("modprobe"), "#!/bin/sh\necho no such thing >&2\nexit 1\n");
        return new SriovNode(node);
    }

    private static void install(Path program, String text) throws IOException {
        Files.writeString(program, text);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static String pf(String address, String net) {
        return """
                [sys/devices/pci0000:40/%1$s]
                vendor = 0x8086
                device = 0x10c9
                class = 0x020000
                subsystem -> ../../../bus/pci
                driver -> ../../../bus/pci/drivers/igb
                sriov_totalvfs = 7
                sriov_numvfs = 0
                sriov_vf_device = 10ca
                sriov_drivers_autoprobe = 1
                %3$s
                net/%2$s/address = 02:00:00:00:41:0%4$s
                net/%2$s/type = 1
                net/%2$s/mtu = 1500
                net/%2$s/flags = 0x1003
                net/%2$s/phys_switch_id = 0a0b0c
                [sys/bus/pci/devices]
                %1$s -> ../../../devices/pci0000:40/%1$s
                """.formatted(address, net, PLACING, address.substring(address.length() - 1));
    }

    /** The entries of a configuration that takes the first PF, with these lines. */
    List<WantedVfs> wanted(String... lines) throws IOException, ConfigException {
        return entries("[[vfs]]\n" + String.join("\n", lines) + "\nmatch = { pci_addresses = [\"" + PF0 + "\"] }\n");
    }

    List<WantedVfs> entries(String toml) throws IOException, ConfigException {
        return ConfigFiles.read(Files.writeString(node.root().resolve("edgeplug.toml"), toml))
                .vfs();
    }

    NodeVfs vfs() {
        return vfs(LONG);
    }

    /** With a deadline for reading a PF. */
    NodeVfs vfs(Duration read) {
        return new NodeVfs(node.sysfs(), node.root(), new NodeVfs.Kubelet(kubeletDir(), kubeletRoot()), read);
    }

    /** The kubelet's root directory is not above its directory for device plugins, as with k0s. */
    Path kubeletRoot() {
        return node.root().resolve("k0s/kubelet");
    }

    Path kubeletDir() {
        return node.root().resolve("kubelet/device-plugins");
    }

    List<VfsApply.Outcome> apply(List<WantedVfs> entries, VfsDeadlines deadlines)
            throws IOException, InterruptedException {
        return new VfsApply(vfs(), deadlines, events::add).apply(entries, pf -> true);
    }

    /** Has a pod hold a VF, as the kubelet notes it. */
    void hold(String vf) throws IOException {
        Files.createDirectories(kubeletDir());
        Files.writeString(kubeletDir().resolve("kubelet_internal_checkpoint"), """
                {"Data":{"PodDeviceEntries":[{"PodUID":"6f1c","ContainerName":"main","ResourceName":"example.com/vf",\
                "DeviceIDs":{"-1":["%s"]},"AllocResp":""}],"RegisteredDevices":{}},"Checksum":0}""".formatted(vf));
    }

    void interfere(String path, Interference interference) throws IOException {
        node.interfere(path, interference);
    }

    /** The driver of each VF of the first PF, in their order. */
    List<String> drivers() throws IOException {
        List<String> drivers = new ArrayList<>();
        for (int index = 0; node.sysfs().exists(FUNCTIONS + PF0 + "/virtfn" + index); index++) {
            drivers.add(node.sysfs()
                    .linkName(FUNCTIONS + PF0 + "/virtfn" + index + "/driver")
                    .orElse("none"));
        }
        return drivers;
    }

    String read(String path) throws IOException {
        return node.sysfs().read(path).orElseThrow();
    }

    List<String> ipCalls() throws IOException {
        return calls("ip.log");
    }

    List<String> devlinkCalls() throws IOException {
        return calls("devlink.log");
    }

    private List<String> calls(String file) throws IOException {
        Path log = node.root().resolve(file);
        return Files.exists(log) ? Files.readAllLines(log) : List.of();
    }

    List<VfsApply.Event> events() {
        return List.copyOf(events);
    }

    SimulatedNode node() {
        return node;
    }

    static void assertGood(List<VfsApply.Outcome> outcomes) {
        assertThat(outcomes)
                .isNotEmpty()
                .allMatch(VfsApply.Outcome::isGood, "is good")
                .extracting(VfsApply.Outcome::text)
                .containsOnly("");
    }

    static void assertFailure(List<VfsApply.Outcome> outcomes, String text) {
        assertThat(outcomes)
                .hasSize(1)
                .noneMatch(VfsApply.Outcome::isGood)
                .extracting(VfsApply.Outcome::text)
                .containsExactly(text);
    }

    @Override
    public void close() {
        node.close();
    }
}
