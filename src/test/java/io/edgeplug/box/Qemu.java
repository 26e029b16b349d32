package io.edgeplug.box;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A virtual machine that runs a node.
 *
 * <p>Programs run on the first processor only. On two emulated processors they would wait for each other. A Java
 * program would start half as fast, or a tenth on a busy host.
 *
 * <p>It has mounts and processes of its own, which end with it. It ends with this process, however that ends.
 */
final class Qemu implements AutoCloseable {

    static final String SHELL = "shell";
    static final String KUBELET = "kubelet";

    /** A disk without a file system, which carries files into the node. */
    static final String TRANSFER = "transfer";

    /** What the machine prints. */
    static final String CONSOLE = "console";

    /** The disk of a machine, with what was saved of its memory. */
    static final String DISK = "disk";

    private static final long TRANSFER_BYTES = 256L << 20;

    /** Arguments: the box, the directory of this machine, QEMU and its own. All ends when standard input ends. */
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
            chroot "$box/tools" "$@" 3<&- &
            qemu=$!
            { cat <&3 >/dev/null; kill -9 $qemu; } &
            wait $qemu
            """;

    private static final String EVERY_MACHINE = """
            -name edgeplug-node -nodefaults -no-user-config -display none
            -accel tcg,thread=multi,tb-size=512 -smp 2,sockets=2 -m 2G
            -kernel /box/vmlinux -initrd /box/initrd -serial file:/machine/console
            -chardev socket,id=monitor,path=/machine/monitor -mon chardev=monitor,mode=control
            -drive if=none,id=disk,file=/machine/disk,format=qcow2,cache=unsafe
            -device virtio-blk-pci,drive=disk,bus=pcie.0,addr=0x3
            -drive if=none,id=transfer,file=/machine/transfer,format=raw,readonly=on
            -device virtio-blk-pci,drive=transfer,bus=pcie.0,addr=0x4
            -audiodev none,id=silence
            -object rng-random,id=urandom,filename=/dev/urandom
            -device virtio-rng-pci,rng=urandom,bus=pcie.0,addr=0x9
            -device virtio-serial-pci,bus=pcie.0,addr=0x5
            -chardev socket,id=shell,path=/machine/shell -device virtserialport,chardev=shell,name=shell
            -chardev socket,id=kubelet,path=/machine/kubelet -device virtserialport,chardev=kubelet,name=kubelet
            """;

    /** Switches off what an emulated machine does not need. systemd tells on the console what a slow boot waits for. */
    private static final String KERNEL = "rw quiet systemd.show_status=auto mitigations=off nokaslr iommu=pt"
            + " audit=0 apparmor=0 selinux=0 nowatchdog rcupdate.rcu_expedited=1 isolcpus=1"
            + " irqaffinity=0 ";

    private final Process process;
    private final Path output;
    private final LineSocket monitor;
    private final LineSocket shell;
    private final LineSocket kubelet;
    private final Qmp qmp;
    private int serials;

    private Qemu(Process process, Path output, LineSocket monitor, LineSocket shell, LineSocket kubelet, Qmp qmp) {
        this.process = process;
        this.output = output;
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
    static Qemu start(Box box, Machine machine, Path directory, List<String> more)
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
        command.addAll(List.of("qemu", box.directory().toString(), directory.toString(), machine.emulator()));
        command.addAll(machine.arguments());
        command.addAll(List.of(EVERY_MACHINE.strip().split("\\s+")));
        command.addAll(List.of("-append", KERNEL + machine.kernel()));
        command.addAll(more);
        Path output = directory.resolve("qemu");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            return new Qemu(process, output, monitor, shell, kubelet, Qmp.open(monitor));
        } catch (IOException | TimeoutException e) {
            process.destroyForcibly();
            monitor.close();
            shell.close();
            kubelet.close();
            throw new IOException("qemu did not start: " + Files.readString(output), e);
        }
    }

    /** Whether the machine runs, or why not, and what QEMU has printed. */
    String state() throws IOException, InterruptedException {
        String state;
        try {
            state = "qemu says " + qmp.execute("query-status", Map.of());
        } catch (IOException | TimeoutException e) {
            state = process.waitFor(10, TimeUnit.SECONDS)
                    ? "qemu has ended with " + process.exitValue()
                    : "qemu does not answer";
        }
        return state + ", and has printed: " + Files.readString(output);
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
        // Each adapter needs a connection of its own, and QEMU may not have let go of that of a pulled one yet.
        serials++;
        qmp.command("chardev-add null,id=serial" + serials);
        qmp.command("device_add usb-serial,id=" + number + ",serial=" + number + ",bus=usb.0,chardev=serial" + serials
                + ",always-plugged=on");
    }

    /**
     * Plugs in a USB device.
     *
     * @param model one of QEMU's; a disk is empty, and nobody hears sound
     * @param port such as {@code 3}, or {@code 1.2} behind a hub
     */
    void plugUsb(String id, String model, String port) throws IOException, InterruptedException, TimeoutException {
        String more = switch (model) {
            case "usb-storage" -> {
                qmp.execute("blockdev-add", Map.of("driver", "null-co", "node-name", "disk-" + id));
                yield ",drive=disk-" + id;
            }
            case "usb-audio" -> ",audiodev=silence";
            default -> "";
        };
        qmp.command("device_add " + model + ",id=" + id + ",bus=usb.0,port=" + port + more);
    }

    void pullUsb(String id) throws IOException, InterruptedException, TimeoutException {
        qmp.command("device_del " + id);
    }

    void save(String snapshot) throws IOException, InterruptedException, TimeoutException {
        qmp.command("savevm " + snapshot);
    }

    void load(String snapshot) throws IOException, InterruptedException, TimeoutException {
        qmp.command("loadvm " + snapshot);
    }

    /** Ends the machine like a power cut, except that its disk keeps its snapshots. */
    void quit() throws IOException, InterruptedException, TimeoutException {
        if (process.isAlive()) {
            qmp.execute("quit", Map.of());
        }
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            throw new TimeoutException("qemu does not quit");
        }
    }

    /** The same, if need be by killing QEMU. */
    @Override
    public void close() throws IOException {
        try {
            quit();
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
