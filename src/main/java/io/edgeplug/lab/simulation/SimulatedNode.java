package io.edgeplug.lab.simulation;

import io.edgeplug.lab.simulation.Tree.Entry;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.udev.Uevent;
import io.edgeplug.system.udev.UeventQueue;
import io.edgeplug.system.udev.UeventSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A node made of files below a directory, and of the uevents about them.
 *
 * <p>A tree is text: {@code path = value} is a file, {@code path -> target} a symbolic link, {@code path/} a directory.
 * {@code [directory]} is the directory of the paths below it, and {@code #} begins a comment. Text values get a final
 * newline. A value with a {@code \xNN} escape is those bytes alone. Every mistake is an
 * {@link IllegalArgumentException} that begins with its line, and then nothing was changed.
 *
 * <p>Uevents are announced after the files have changed. A write through the node's own sysfs has an effect: it resets,
 * binds a driver or makes VFs. Nothing else follows from anything. Plugging a VF does not raise its PF's
 * {@code sriov_numvfs}, and the VFs of a PF that falls off still answer, until the text or the caller changes that.
 * Closing the node ends all its uevent sources and leaves the files.
 */
public final class SimulatedNode implements AutoCloseable {

    private static final Path FUNCTIONS = Path.of("sys/bus/pci/devices");
    private static final int CONFIG_BYTES = 256;

    private final NodeFiles files;
    private final SimulatedKernel kernel;
    private final Sysfs sysfs;
    private final List<UeventQueue> listeners = new ArrayList<>();
    /** The configuration spaces of functions before they fell off. */
    private final Map<PciAddress, byte[]> fallen = new HashMap<>();

    private boolean closed;

    private SimulatedNode(NodeFiles files) {
        this.files = files;
        this.kernel = new SimulatedKernel(files, this::send);
        this.sysfs = Sysfs.at(files.root(), kernel);
    }

    /**
     * Makes a node of a tree, below {@code root}, without a uevent.
     *
     * @throws IllegalArgumentException if the tree has a mistake
     */
    public static SimulatedNode unpack(String tree, Path root) throws IOException {
        Tree parsed = Tree.parse(tree);
        NodeFiles files = new NodeFiles(root);
        files.add(parsed);
        return new SimulatedNode(files);
    }

    /** The directory that stands for {@code /}, with links resolved. */
    public Path root() {
        return files.root();
    }

    /** The files of the node's kernel, for reading and writing. */
    public Sysfs sysfs() {
        return sysfs;
    }

    /** The acts of the kernel after writes through the sysfs, a line each, in order. */
    public List<String> acts() {
        return kernel.acts();
    }

    /**
     * Runs something each time before the kernel acts on a write to an attribute or a call of a device node.
     *
     * @param path from the root; links on the way are followed
     * @throws NoSuchFileException if there is no such file
     */
    public void interfere(String path, Interference interference) throws IOException {
        kernel.interfere(files.real(Tree.relative(path)), interference);
    }

    /** Opens a source for one caller, with the uevents from now on. The caller closes it. */
    public synchronized UeventSource uevents() {
        UeventQueue queue = new UeventQueue();
        if (closed) {
            queue.close();
        }
        listeners.add(queue);
        return queue;
    }

    /**
     * Adds a tree to the node, and then announces {@code add} for each new PCI function, in the order of the text.
     *
     * @throws IllegalArgumentException if the tree has a mistake, or names something that exists already
     */
    public synchronized void plug(String tree) throws IOException {
        Tree parsed = Tree.parse(tree);
        List<PciAddress> added = parsed.entries().stream()
                .map(Entry::path)
                .filter(path -> path.startsWith(FUNCTIONS) && path.getNameCount() > FUNCTIONS.getNameCount())
                .flatMap(path ->
                        PciAddress.parse(path.getName(FUNCTIONS.getNameCount()).toString()).stream())
                .distinct()
                .toList();
        files.add(parsed);
        for (PciAddress address : added) {
            announce("add", address);
        }
    }

    /**
     * Removes a function with every link to it, and then announces {@code remove}.
     *
     * <p>Functions that cannot stay without it go first, each with its own uevent: the VFs of a PF, and functions
     * behind a bridge.
     */
    public synchronized void pull(PciAddress address) throws IOException {
        for (PciAddress gone : dependents(address).descendingSet()) {
            Path directory = directory(gone);
            files.remove(directory);
            fallen.remove(gone);
            send("remove", directory);
        }
    }

    /**
     * Gives a file another value, written as in a tree, without a uevent. Readers find the old value or the new one.
     *
     * @param path from the root; links on the way are followed
     * @throws NoSuchFileException if there is no such file
     */
    public synchronized void write(String path, String value) throws IOException {
        Path file = files.real(Tree.relative(path));
        if (!Files.isRegularFile(file)) {
            throw new IllegalArgumentException(path + " is no file");
        }
        files.replace(file, AttributeValue.parse(value).bytes());
    }

    /**
     * Sends a uevent about an existing function, such as {@code change} or {@code bind}. The files stay as they are.
     */
    public synchronized void announce(String action, PciAddress address) throws IOException {
        send(action, directory(address));
    }

    /**
     * Makes a function fall off its bus: its configuration space reads all ones. Then announces the {@code change} that
     * begins the kernel's error recovery (Documentation/PCI/pci-error-recovery in the kernel).
     *
     * @throws IllegalStateException if it has fallen off already
     * @throws NoSuchFileException if it has no {@code config}
     */
    public synchronized void fallOff(PciAddress address) throws IOException {
        if (fallen.containsKey(address)) {
            throw new IllegalStateException(address + ": has fallen off its bus already");
        }
        Path config = directory(address).resolve("config");
        byte[] ones = new byte[CONFIG_BYTES];
        Arrays.fill(ones, (byte) 0xff);
        byte[] before = Files.readAllBytes(config);
        files.replace(config, ones);
        fallen.put(address, before);
        announce("change", address);
    }

    /**
     * Makes a function that fell off answer as before, and then announces the {@code change} that ends the recovery.
     *
     * @throws IllegalStateException if it has not fallen off
     */
    public synchronized void comeBack(PciAddress address) throws IOException {
        byte[] before = fallen.get(address);
        if (before == null) {
            throw new IllegalStateException(address + ": has not fallen off its bus");
        }
        files.replace(directory(address).resolve("config"), before);
        fallen.remove(address);
        announce("change", address);
    }

    @Override
    public synchronized void close() {
        closed = true;
        listeners.forEach(UeventQueue::close);
    }

    /** A function, the functions behind it, and the VFs of both. */
    private NavigableSet<PciAddress> dependents(PciAddress address) throws IOException {
        if (sysfs.linkName(FUNCTIONS + "/" + address + "/physfn").isPresent()) {
            // Nothing depends on a VF. Looking for dependents takes longer the more functions there are.
            return new TreeSet<>(Set.of(address));
        }
        Path top = directory(address);
        Set<PciAddress> behind = new TreeSet<>();
        NavigableSet<PciAddress> all = new TreeSet<>();
        List<PciAddress> functions = sysfs.names(FUNCTIONS.toString()).stream()
                .flatMap(name -> PciAddress.parse(name).stream())
                .toList();
        for (PciAddress function : functions) {
            if (directory(function).startsWith(top)) {
                behind.add(function);
            }
        }
        all.addAll(behind);
        for (PciAddress function : functions) {
            Optional<PciAddress> pf =
                    sysfs.linkName(FUNCTIONS + "/" + function + "/physfn").flatMap(PciAddress::parse);
            if (pf.filter(behind::contains).isPresent()) {
                all.add(function);
            }
        }
        return all;
    }

    private Path directory(PciAddress address) throws IOException {
        try {
            return files.real(FUNCTIONS.resolve(address.toString()));
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException(address + ": no such function", e);
        }
    }

    private synchronized void send(String action, Path directory) {
        String devpath = "/" + files.root().resolve("sys").relativize(directory);
        Uevent uevent = new Uevent(action, devpath, "pci");
        listeners.forEach(listener -> listener.add(uevent));
    }
}
