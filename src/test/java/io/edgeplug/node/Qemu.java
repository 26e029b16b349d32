package io.edgeplug.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A virtual machine: two NUMA nodes with a processor and an SR-IOV adapter each, an IOMMU, and slots for more cards.
 *
 * <p>Programs run on the first processor only. On two emulated processors they would wait for each other. A Java
 * program would start half as fast, or a tenth on a busy host. The processors have no AVX, like those of many edge
 * nodes.
 *
 * <p>It has mounts and processes of its own, which end with it. It ends with this process, however that ends.
 */
final class Qemu implements AutoCloseable {

    static final String SHELL = "shell";
    static final String KUBELET = "kubelet";

    /** A disk without a file system, which carries files into the node. */
    static final String TRANSFER = "transfer";

    private static final long TRANSFER_BYTES = 256L << 20;

    /** Arguments: the box, the directory of this machine, and QEMU's. Everything ends when standard input ends. */
    private static final String SCRIPT = """
            box=$1 machine=$2
            shift 2
            mkdir -p "$box/tools/box" "$box/tools/machine"
            mount --bind "$box" "$box/tools/box"
            mount --bind "$machine" "$box/tools/machine"
            mount --bind /dev "$box/tools/dev"
            if ! [ -e "$machine/disk" ]; then
                chroot "$box/tools" qemu-img create -q -f qcow2 -b /box/root.img -F raw /machine/disk
            fi
            exec 3<&0
            chroot "$box/tools" qemu-system-x86_64 "$@" 3<&- &
            qemu=$!
            { cat <&3 >/dev/null; kill -9 $qemu; } &
            wait $qemu
            """;

    private static final String MACHINE = """
            -name edgeplug-node -nodefaults -no-user-config -display none
            -accel tcg,thread=multi,tb-size=512 -M q35,hpet=off,vmport=off,smbus=off,sata=off
            -cpu Nehalem -smp 2,sockets=2
            -m 2G -object memory-backend-ram,id=m0,size=1G -object memory-backend-ram,id=m1,size=1G
            -numa node,nodeid=0,cpus=0,memdev=m0 -numa node,nodeid=1,cpus=1,memdev=m1
            -device intel-iommu,intremap=on
            -kernel /box/vmlinux -initrd /box/initrd -serial file:/machine/console
            -chardev socket,id=monitor,path=/machine/monitor -mon chardev=monitor,mode=control
            -drive if=none,id=disk,file=/machine/disk,format=qcow2,cache=unsafe
            -device virtio-blk-pci,drive=disk,bus=pcie.0,addr=0x3
            -drive if=none,id=transfer,file=/machine/transfer,format=raw,readonly=on
            -device virtio-blk-pci,drive=transfer,bus=pcie.0,addr=0x4
            -device virtio-serial-pci,bus=pcie.0,addr=0x5
            -chardev socket,id=shell,path=/machine/shell -device virtserialport,chardev=shell,name=shell
            -chardev socket,id=kubelet,path=/machine/kubelet -device virtserialport,chardev=kubelet,name=kubelet
            -device pxb-pcie,id=numa0,bus=pcie.0,bus_nr=0x20,numa_node=0,addr=0x7
            -device pxb-pcie,id=numa1,bus=pcie.0,bus_nr=0x40,numa_node=1,addr=0x8
            -device pcie-root-port,id=port0,bus=numa0,chassis=1,slot=1,addr=0x0
            -device igb,id=igb0,bus=port0,mac=52:54:00:00:01:00,romfile=
            -device pcie-root-port,id=port1,bus=numa1,chassis=2,slot=2,addr=0x0
            -device igb,id=igb1,bus=port1,mac=52:54:00:00:02:00,romfile=
            -device qemu-xhci,id=usb,bus=pcie.0,addr=0x6 -chardev null,id=serial
            -device pcie-root-port,id=hp0,bus=pcie.0,chassis=10,slot=10,addr=0xa
            -device pcie-root-port,id=hp1,bus=numa1,chassis=11,slot=11,addr=0x1
            """;

    /** Switches off what an emulated machine does not need, and chooses a clock that a busy host does not disturb. */
    private static final String KERNEL = "console=ttyS0 rw quiet systemd.show_status=0 mitigations=off nokaslr"
            + " tsc=reliable no_timer_check clocksource=tsc intel_iommu=on iommu=pt random.trust_cpu=on audit=0"
            + " apparmor=0 selinux=0 nowatchdog rcupdate.rcu_expedited=1 isolcpus=1 irqaffinity=0";

    private final Process process;
    private final LineSocket monitor;
    private final LineSocket shell;
    private final LineSocket kubelet;
    private final Qmp qmp;

    private Qemu(Process process, LineSocket monitor, LineSocket shell, LineSocket kubelet, Qmp qmp) {
        this.process = process;
        this.monitor = monitor;
        this.shell = shell;
        this.kubelet = kubelet;
        this.qmp = qmp;
    }

    /**
     * Starts a machine.
     *
     * @param directory its own, with a path short enough for sockets
     * @param more arguments of QEMU, as {@code -loadvm} of a snapshot on the disk that is there
     */
    static Qemu start(Box box, Path directory, List<String> more)
            throws IOException, InterruptedException, TimeoutException {
        Path transfer = directory.resolve(TRANSFER);
        if (!Files.exists(transfer)) {
            try (var file = new java.io.RandomAccessFile(transfer.toFile(), "rw")) {
                file.setLength(TRANSFER_BYTES);
            }
        }
        LineSocket monitor = LineSocket.listen(directory.resolve("monitor"));
        LineSocket shell = LineSocket.listen(directory.resolve(SHELL));
        LineSocket kubelet = LineSocket.listen(directory.resolve(KUBELET));
        List<String> command = new ArrayList<>(List.of("unshare", "--mount", "--pid", "--fork", "sh", "-ec", SCRIPT));
        command.addAll(List.of("qemu", box.directory().toString(), directory.toString()));
        command.addAll(List.of(MACHINE.strip().split("\\s+")));
        command.addAll(List.of("-append", KERNEL));
        command.addAll(more);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("qemu").toFile())
                .start();
        try {
            return new Qemu(process, monitor, shell, kubelet, Qmp.open(monitor));
        } catch (IOException | TimeoutException e) {
            process.destroyForcibly();
            throw new IOException("qemu did not start: " + Files.readString(directory.resolve("qemu")), e);
        }
    }

    LineSocket shell() {
        return shell;
    }

    LineSocket kubelet() {
        return kubelet;
    }

    void plug(Card card) throws IOException, InterruptedException, TimeoutException {
        qmp.execute("device_add", Map.of("id", card.id(), "driver", card.model(), "bus", card.slot()));
    }

    /** Plugs a network adapter, behind which the node finds this machine's loopback at that address and nothing else. */
    void plugNetwork(Card card, String address) throws IOException, InterruptedException, TimeoutException {
        qmp.execute(
                "netdev_add",
                Map.of("type", "user", "id", "host", "host", address, "net", address.replaceAll("[0-9]+$", "0/24")));
        qmp.execute(
                "device_add", Map.of("id", card.id(), "driver", card.model(), "bus", card.slot(), "netdev", "host"));
    }

    /** Asks the kernel to let go of a card, and waits until it has. */
    void pull(Card card) throws IOException, InterruptedException, TimeoutException {
        qmp.execute("device_del", Map.of("id", card.id()));
        qmp.await("DEVICE_DELETED", card.id());
    }

    /** Plugs in a USB serial adapter. Its name is also its serial number. */
    void plugSerial(String number) throws IOException, InterruptedException, TimeoutException {
        qmp.command("device_add usb-serial,id=" + number + ",serial=" + number
                + ",bus=usb.0,chardev=serial,always-plugged=on");
    }

    void pullSerial(String number) throws IOException, InterruptedException, TimeoutException {
        qmp.command("device_del " + number);
    }

    void save(String snapshot) throws IOException, InterruptedException, TimeoutException {
        qmp.command("savevm " + snapshot);
    }

    void load(String snapshot) throws IOException, InterruptedException, TimeoutException {
        qmp.command("loadvm " + snapshot);
    }

    /** Ends the machine like a power cut, except that its disk keeps its snapshots. */
    @Override
    public void close() throws IOException {
        try {
            if (process.isAlive()) {
                qmp.execute("quit", Map.of());
            }
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                throw new TimeoutException("qemu does not quit");
            }
        } catch (IOException | TimeoutException e) {
            System.err.println("killing the node's qemu: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.getOutputStream().close();
            monitor.close();
            shell.close();
            kubelet.close();
        }
    }
}
