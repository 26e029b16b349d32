package io.edgeplug.lab.simulation;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.system.kernel.Ioctl;
import io.edgeplug.system.kernel.Kernel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * Acts on the files of a node as the kernel does when they are written to: binds, unbinds, resets and programs. A FIFO
 * in place of an attribute hangs until somebody reads it.
 */
final class SimulatedKernel implements Kernel {

    private static final Path FUNCTIONS = Path.of("sys/bus/pci/devices");
    private static final Path FIRMWARE = Path.of("lib/firmware");
    private static final String NO_OVERRIDE = "(null)";
    private static final int PORT_PR = 0xb680;
    private static final int USB_RESET = 0x5514;
    private static final int ID_DIGITS = 32;

    private final NodeFiles files;
    private final SimulatedVfs vfs;
    private final BiConsumer<String, Path> announce;

    // The fields below are guarded by this.
    private final Map<Path, Interference> interferences = new HashMap<>();
    private final List<String> acts = new ArrayList<>();

    /** Announces the uevents that follow from its acts, by the action and the directory of the function. */
    SimulatedKernel(NodeFiles files, BiConsumer<String, Path> announce) {
        this.files = files;
        this.announce = announce;
        this.vfs = new SimulatedVfs(files, this);
    }

    synchronized void interfere(Path file, Interference interference) {
        interferences.put(file, interference);
    }

    synchronized List<String> acts() {
        return List.copyOf(acts);
    }

    @Override
    public void write(Path attribute, byte[] value) throws IOException {
        before(attribute);
        if (Files.readAttributes(attribute, java.nio.file.attribute.BasicFileAttributes.class)
                .isOther()) {
            Kernel.running().write(attribute, value);
        }
        act(attribute, new String(value, StandardCharsets.UTF_8).strip());
    }

    @Override
    public int ioctl(Path node, Ioctl call) throws IOException {
        before(node);
        if (call.request() == USB_RESET && files.root().relativize(node).startsWith("dev/bus/usb")) {
            tell(files.root().relativize(node) + " reset");
            return 0;
        }
        if (call.request() != PORT_PR) {
            throw new IOException("Inappropriate ioctl for device");
        }
        ByteBuffer argument = call.argument().duplicate().order(ByteOrder.nativeOrder());
        int port = argument.getInt(8);
        int size = argument.getInt(12);
        if (size != call.memory().remaining() || size < ID_DIGITS) {
            throw new IOException("Invalid argument");
        }
        byte[] id = new byte[ID_DIGITS];
        call.memory().duplicate().get(id);
        Path engine;
        try (Stream<Path> all = Files.walk(files.root().resolve("sys/devices"))) {
            engine = all.filter(path -> path.endsWith(String.valueOf(node.getFileName())))
                    .findFirst()
                    .orElseThrow(() -> new IOException("No such device or address"));
        }
        for (Path part : children(engine.resolveSibling("."))) {
            if (String.valueOf(part.getFileName()).startsWith("dfl-port.")
                    && Integer.decode(text(part.resolve("id"))) == port) {
                files.replace(part.resolve("afu_id"), line(new String(id, StandardCharsets.UTF_8)));
                tell(node.getFileName() + " programs port " + port);
                return 0;
            }
        }
        throw new IOException("Invalid argument");
    }

    @Override
    public void open(Path node) throws IOException {
        before(node);
    }

    private void before(Path file) throws IOException {
        Optional<Interference> interference;
        synchronized (this) {
            interference = Optional.ofNullable(interferences.get(file));
        }
        if (interference.isPresent()) {
            interference.orElseThrow().run();
        }
        if (!Files.exists(file)) {
            throw new IOException("No such device");
        }
    }

    private synchronized void act(Path attribute, String value) throws IOException {
        Path directory = attribute.resolveSibling(".").normalize();
        String name = String.valueOf(attribute.getFileName());
        switch (name) {
            case "unbind" -> unbind(directory, value);
            case "bind" -> bind(directory, value);
            case "drivers_probe" -> probe(value);
            case "sriov_numvfs" -> vfs.set(attribute, Integer.parseInt(value));
            case "driver_override" -> files.replace(attribute, line(value.isEmpty() ? NO_OVERRIDE : value));
            case "reset" -> tell(directory.getFileName() + " reset by " + text(directory.resolve("reset_method")));
            case "firmware" -> load(directory, value);
            case "uevent" -> {
                tell(directory.getFileName() + " announced: " + value);
                announce(value, String.valueOf(directory.getFileName()));
            }
            default -> {
                files.replace(attribute, line(value));
                tell(directory.getFileName() + " " + name + " = " + value);
            }
        }
    }

    private void unbind(Path driver, String function) throws IOException {
        Path device = files.real(FUNCTIONS.resolve(function));
        Path link = device.resolve("driver");
        if (!Files.exists(link) || !link.toRealPath().equals(driver)) {
            throw new IOException("No such device");
        }
        if (!Files.exists(nativeDriver(function))) {
            files.replace(nativeDriver(function), line(String.valueOf(driver.getFileName())));
        }
        Files.delete(link);
        Files.delete(driver.resolve(function));
        if (Files.exists(device.resolve("net"))) {
            Files.move(device.resolve("net"), hidden(function));
        }
        tell(function + " unbound from " + driver.getFileName());
        announce("unbind", function);
    }

    /** Binds a function to the driver that it may have, if there is one. The caller is told nothing else. */
    void probe(String function) throws IOException {
        Path device = files.real(FUNCTIONS.resolve(function));
        String override = text(device.resolve("driver_override"));
        String name = override.equals(NO_OVERRIDE) ? text(nativeDriver(function)) : override;
        Path driver = files.root().resolve("sys/bus/pci/drivers").resolve(name);
        if (!name.isEmpty() && Files.isDirectory(driver)) {
            bind(driver, function);
        }
    }

    /** Makes a driver know a function, as its table of IDs does. */
    void know(String driver, String function) throws IOException {
        files.replace(nativeDriver(function), line(driver));
    }

    private void bind(Path driver, String function) throws IOException {
        Path device = files.real(FUNCTIONS.resolve(function));
        String name = String.valueOf(driver.getFileName());
        if (Files.exists(device.resolve("driver"), LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException("Device or resource busy");
        }
        String override = text(device.resolve("driver_override"));
        boolean isNative = name.equals(text(nativeDriver(function)));
        if (!(override.equals(NO_OVERRIDE) ? isNative : override.equals(name))) {
            throw new IOException("No such device");
        }
        Files.createSymbolicLink(driver.resolve(function), driver.relativize(device));
        Files.createSymbolicLink(device.resolve("driver"), device.relativize(driver));
        if (isNative && Files.exists(hidden(function))) {
            Files.move(hidden(function), device.resolve("net"));
        }
        tell(function + " bound to " + name);
        announce("bind", function);
    }

    /** The directory for the network interfaces of a function while its own driver is unbound. */
    private Path hidden(String function) {
        return files.root().resolve(".net-" + function);
    }

    /** The file that notes which driver knows a function, because a kernel outlives the processes that use it. */
    private Path nativeDriver(String function) {
        return files.root().resolve(".driver-" + function);
    }

    private void load(Path manager, String name) throws IOException {
        Path image = files.root().resolve(FIRMWARE).resolve(name);
        if (!Files.exists(image)) {
            files.replace(manager.resolve("state"), line("firmware request error"));
            throw new IOException("No such file or directory");
        }
        String content = Files.readString(image, StandardCharsets.ISO_8859_1);
        boolean isGood = content.length() >= ID_DIGITS;
        files.replace(manager.resolve("state"), line(isGood ? "operating" : "write error"));
        if (!isGood) {
            throw new IOException("Input/output error");
        }
        files.replace(manager.resolve("image_id"), line(content.substring(0, ID_DIGITS)));
        tell(manager.getFileName() + " loads " + content.length() + " bytes");
    }

    private void announce(String action, String function) throws IOException {
        if (PciAddress.parse(function).isPresent()) {
            announce(action, files.real(FUNCTIONS.resolve(function)));
        }
    }

    /** Announces a uevent of the function in that directory, which may be gone already. */
    void announce(String action, Path function) {
        announce.accept(action, function);
    }

    synchronized void tell(String act) {
        acts.add(act);
    }

    static String text(Path file) throws IOException {
        return Files.exists(file) ? Files.readString(file).strip() : "";
    }

    static byte[] line(String text) {
        return (text + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private static List<Path> children(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.toList();
        }
    }
}
