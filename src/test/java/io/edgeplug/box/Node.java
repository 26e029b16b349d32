package io.edgeplug.box;

import com.google.gson.Gson;
import com.google.gson.reflect.TypeToken;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeoutException;

/** A Debian node with systemd, udevd, SR-IOV, two NUMA nodes and a kubelet's side. Scenarios act on it. */
final class Node implements AutoCloseable {

    /** A Java program takes 20 times as long in the node, and twice that on a busy machine. */
    static final Duration PATIENCE = Duration.ofMinutes(4);

    /** A machine that is shut down may wait for its services. */
    private static final Duration REBOOTS_WITHIN = Duration.ofMinutes(10);

    private static final Duration BOOTS_WITHIN = Duration.ofMinutes(5);

    /** Among some hundred boots, QEMU once stood still and once ended, before anything of edgeplug was in the node. */
    private static final int BOOTS = 3;

    /** What the kubelet of a {@linkplain #keep kept} node knew. */
    private static final String KNOWLEDGE = "knowledge";

    /** A line for each boot. */
    private static final Path NOTED_BOOTS = Path.of("target", "node", "boots");

    private final Box box;
    private final Machine machine;
    private final Path directory;
    private final List<Card> plugged = new ArrayList<>();
    private Qemu qemu;
    private Shell shell;
    private NodeKubelet kubelet;

    /** What the kubelet knew at each moment to which the node can be reset. */
    private final Map<String, NodeKubelet.Knowledge> saved = new HashMap<>();

    private Node(Box box, Machine machine, Path directory, Qemu qemu, NodeKubelet.Knowledge knowledge) {
        this.box = box;
        this.machine = machine;
        this.directory = directory;
        this.qemu = qemu;
        this.shell = new Shell(qemu.shell());
        this.kubelet = new NodeKubelet(qemu.kubelet(), PATIENCE, knowledge);
    }

    /** Boots a node without the package. */
    static Node boot(Machine machine) throws IOException, InterruptedException, TimeoutException {
        Box box = Box.open(machine.architecture());
        for (int boots = 1; true; boots++) {
            Path directory = Files.createTempDirectory("node");
            try {
                Node node = start(box, machine, directory, List.of(), NodeKubelet.Knowledge.NONE);
                node.awaitBooted();
                return node;
            } catch (IOException | TimeoutException e) {
                if (boots == BOOTS) {
                    throw e;
                }
                System.err.println(e.getMessage() + "\nbooting the node again");
            }
        }
    }

    /** Starts a virtual machine. If that fails, nothing is left of it. */
    private static Node start(
            Box box, Machine machine, Path directory, List<String> more, NodeKubelet.Knowledge knowledge)
            throws IOException, InterruptedException, TimeoutException {
        try {
            return new Node(box, machine, directory, Qemu.start(box, machine, directory, more), knowledge);
        } catch (IOException | TimeoutException e) {
            delete(directory);
            throw e;
        }
    }

    private void awaitBooted() throws IOException, InterruptedException, TimeoutException {
        try {
            shell.awaitReady(BOOTS_WITHIN);
            note(Boot.of(this));
        } catch (IOException | TimeoutException e) {
            try {
                throw notBooted(e);
            } finally {
                close();
            }
        }
    }

    /** Why a boot did not end, as far as the node can say. */
    IOException notBooted(Exception cause) throws IOException, InterruptedException {
        return new IOException(
                "the node did not boot, " + cause.getMessage() + "\n" + Boot.missing(shell) + "\n" + qemu.state()
                        + "\nthe end of its console:\n" + Boot.end(directory.resolve(Qemu.CONSOLE)),
                cause);
    }

    /** Ends a node that has one snapshot, for {@link #resume}. */
    void keep(Path to) throws IOException, InterruptedException, TimeoutException {
        try {
            // If it had to be killed, its disk may be damaged.
            qemu.quit();
            Files.move(directory.resolve(Qemu.DISK), to.resolve(Qemu.DISK));
            Files.writeString(to.resolve(KNOWLEDGE), new Gson().toJson(saved));
        } finally {
            close();
        }
    }

    /** Starts a node from where it was kept, with that snapshot. */
    static Node resume(Machine machine, Path kept, String snapshot)
            throws IOException, InterruptedException, TimeoutException {
        Box box = Box.open(machine.architecture());
        Map<String, NodeKubelet.Knowledge> saved =
                new Gson().fromJson(Files.readString(kept.resolve(KNOWLEDGE)), new TypeToken<>() {});
        NodeKubelet.Knowledge knowledge = Objects.requireNonNull(saved.get(snapshot));
        Path directory = Files.createTempDirectory("node");
        Files.copy(kept.resolve(Qemu.DISK), directory.resolve(Qemu.DISK));
        Node node = start(box, machine, directory, List.of("-loadvm", snapshot), knowledge);
        node.saved.putAll(saved);
        return node;
    }

    /** Runs a script and returns its output. It is an error if the script fails. */
    String run(String script) throws IOException, InterruptedException, TimeoutException {
        Shell.Outcome outcome = shell.run(script, PATIENCE);
        if (outcome.status() != 0) {
            throw new IOException(
                    "in the node, exit " + outcome.status() + ": " + script + "\n" + outcome.out() + outcome.err());
        }
        return outcome.out().strip();
    }

    /** Copies a file of the host into the node. */
    void copy(Path from, String to) throws IOException, InterruptedException, TimeoutException {
        byte[] bytes = Files.readAllBytes(from);
        try (FileChannel transfer = FileChannel.open(directory.resolve(Qemu.TRANSFER), StandardOpenOption.WRITE)) {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            while (buffer.hasRemaining()) {
                transfer.write(buffer, buffer.position());
            }
        }
        run("dd if=/dev/vdb iflag=direct,fullblock bs=1M count=%d status=none | head -c %d >%s"
                .formatted(bytes.length / (1 << 20) + 1, bytes.length, to));
    }

    /** Copies what tar packs with these arguments, as {@code -C directory .}, into a directory of the node. */
    void unpack(String to, String... what) throws IOException, InterruptedException, TimeoutException {
        Path file = Files.createTempFile("node", ".tar");
        try {
            List<String> tar = new ArrayList<>(List.of("tar", "--owner=0", "--group=0", "-cf", file.toString()));
            tar.addAll(List.of(what));
            String ignored = Release.print(tar.toArray(String[]::new));
            copy(file, "/root/files.tar");
        } finally {
            Files.delete(file);
        }
        run("tar -C " + to + " --no-overwrite-dir -xf /root/files.tar && rm /root/files.tar");
    }

    /** Installs a package as an administrator does. */
    void install(Path deb) throws IOException, InterruptedException, TimeoutException {
        copy(deb, "/root/package.deb");
        run("apt-get -q install -y /root/package.deb && rm /root/package.deb");
    }

    /** Writes a file of the node. */
    void write(String path, String text) throws IOException, InterruptedException, TimeoutException {
        run("mkdir -p $(dirname " + path + ") && cat >" + path + " <<'end of file'\n" + text + "\nend of file");
    }

    /** The kubelet of this node. */
    NodeKubelet kubelet() {
        return kubelet;
    }

    /** Pushes a card into its slot; the kernel may take seconds to notice. */
    void plug(Card card) throws IOException, InterruptedException, TimeoutException {
        qemu.plug(card);
        plugged.add(card);
    }

    /** Pushes a network adapter into its slot, through which the node reaches this machine's loopback at that address. */
    void plugNetwork(Card card, String address) throws IOException, InterruptedException, TimeoutException {
        qemu.plugNetwork(card, address);
        plugged.add(card);
    }

    /** Pulls a card out as soon as the kernel has let go of it. */
    void pull(Card card) throws IOException, InterruptedException, TimeoutException {
        qemu.pull(card);
        plugged.remove(card);
    }

    /** Plugs a USB serial adapter of that serial number. */
    void plugSerial(String number) throws IOException, InterruptedException, TimeoutException {
        qemu.plugSerial(number);
    }

    /** Plugs in a USB device of one of QEMU's models at a port. */
    void plugUsb(String id, String model, String port) throws IOException, InterruptedException, TimeoutException {
        qemu.plugUsb(id, model, port);
    }

    /** Pulls a USB device, of which a serial adapter's number is the ID, without asking the kernel. */
    void pullUsb(String id) throws IOException, InterruptedException, TimeoutException {
        qemu.pullUsb(id);
    }

    /** Sets how many VFs a PF has. If it has another number than 0, the kernel wants 0 to be set first. */
    void vfs(String pf, int count) throws IOException, InterruptedException, TimeoutException {
        // The kernel refuses this while the PF's driver is at work.
        run("udevadm settle; echo " + count + " >/sys/bus/pci/devices/" + pf + "/sriov_numvfs");
    }

    /** Takes a function from its driver and gives it to another one. */
    void rebind(String function, String driver) throws IOException, InterruptedException, TimeoutException {
        run("""
                modprobe %2$s
                cd /sys/bus/pci/devices/%1$s
                echo %2$s >driver_override
                echo %1$s >driver/unbind
                echo %1$s >/sys/bus/pci/drivers_probe
                """.formatted(function, driver));
    }

    /** Boots the node in an orderly way, and waits until the kubelet serves. */
    void reboot() throws IOException, InterruptedException, TimeoutException {
        kubelet.forget();
        bootAnew();
        kubelet.awaitServing();
    }

    /** Boots the node in an orderly way. */
    void bootAnew() throws IOException, InterruptedException, TimeoutException {
        shell.send("systemctl reboot", Duration.ofSeconds(30));
        try {
            shell.awaitReady(REBOOTS_WITHIN);
            note(Boot.of(this));
        } catch (IOException | TimeoutException e) {
            throw notBooted(e);
        }
    }

    /** Tells the times of a boot, and leaves them for the end of the run. */
    private static void note(Boot boot) throws IOException {
        System.err.println(boot);
        Files.createDirectories(NOTED_BOOTS.resolveSibling("."));
        Files.writeString(NOTED_BOOTS, boot + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Keeps the node as it is now for {@link #reset}. */
    void save(String snapshot) throws IOException, InterruptedException, TimeoutException {
        qemu.save(snapshot);
        saved.put(snapshot, kubelet.knowledge());
    }

    boolean hasSaved(String snapshot) {
        return saved.containsKey(snapshot);
    }

    /** Takes the node back to where it was saved, whatever has happened to it. */
    void reset(String snapshot) throws IOException, InterruptedException, TimeoutException {
        qemu.close();
        plugged.clear();
        qemu = Qemu.start(box, machine, directory, List.of("-loadvm", snapshot));
        shell = new Shell(qemu.shell());
        kubelet = new NodeKubelet(qemu.kubelet(), PATIENCE, Objects.requireNonNull(saved.get(snapshot)));
    }

    /** The messages of the kernel and of all services. */
    String journal() throws IOException, InterruptedException, TimeoutException {
        return run("journalctl --no-pager -o short-precise");
    }

    @Override
    public void close() throws IOException {
        qemu.close();
        delete(directory);
    }

    private static void delete(Path directory) throws IOException {
        for (String file : Objects.requireNonNull(directory.toFile().list())) {
            Files.delete(directory.resolve(file));
        }
        Files.delete(directory);
    }
}
