package io.edgeplug.soak;

import io.edgeplug.lab.simulation.SimulatedNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The directories of one daemon: its node, its configuration, the kubelet's directory, and those that it writes to. */
record Ground(Path root) {

    static final String DOMAIN = "example.com";
    /** Files that nobody attacks: the probe asks for one of them all the time. */
    static final String PROBE = DOMAIN + "/probe";
    /** One VF whose health is turned to see whether the daemon still follows; its nodes go by CDI. */
    static final String FLIP = DOMAIN + "/flip";
    /** Two VFs of one IOMMU group. */
    static final String GROUP = DOMAIN + "/group";
    /** One VF that is reset before each container. */
    static final String PREPARED = DOMAIN + "/prepared";
    /** VFs whose attributes are attacked. */
    static final String FUZZED = DOMAIN + "/fuzzed";
    /** The VFs of a whole PF, of a class that is written anew for each attack. */
    static final String MANY = DOMAIN + "/many";

    /** VFs that pods claim. */
    static final List<String> CLAIMED_VFS =
            IntStream.range(0, 4).mapToObj(i -> "0000:3e:01." + i).toList();

    /** What the class of the many VFs has while nobody attacks it. */
    static final String SOUND = "[class.prepare]\nreset = \"flr\"";

    static final String FLIP_VF = "0000:3b:01.2";
    static final String PREPARED_VF = "0000:3b:01.3";
    static final List<String> GROUP_VFS = List.of("0000:3b:01.0", "0000:3b:01.1");
    static final List<String> FUZZED_VFS =
            IntStream.range(4, 8).mapToObj(i -> "0000:3b:01." + i).toList();
    static final List<String> MANY_VFS = IntStream.range(0, 248)
            .mapToObj(i -> "0000:3c:%02x.%d".formatted(1 + i / 8, i % 8))
            .toList();
    /** Accelerators that no class takes but that of an attack. */
    static final List<String> CARDS = List.of("0000:3d:00.0", "0000:3d:00.1", "0000:3d:00.2", "0000:3d:00.3");

    @SuppressWarnings("InlineFormatString") // in its place it would hide what it is filled with
    private static final String MAIN_FILE = """
            kubelet_dir = "%s"
            cdi_dir = "%s"
            device_info_dir = "%s"
            settle = "1ms"
            [[class]]
            resource = "%s"
            kind = "path"
            match = { paths = ["/etc/probe/*"] }
            [[class]]
            resource = "%s"
            kind = "vf"
            hand_over = "cdi"
            mounts = ["/etc/probe/p0"]
            match = { pci_addresses = ["%s"] }
            [[class]]
            resource = "%s"
            kind = "vf"
            match = { pci_addresses = ["%s", "%s"] }
            [[class]]
            resource = "%s"
            kind = "vf"
            match = { pci_addresses = ["%s"] }
            [class.prepare]
            reset = "flr"
            [[class]]
            resource = "%s"
            kind = "vf"
            match = { pf_names = ["ens1f0#4-7"] }
            health = { driver = "bound", link = "up", aer_fatal = "none" }
            [[class]]
            resource = "example.com/claimed"
            kind = "vf"
            api = "dra"
            match = { pf_names = ["ens3f0"] }
            [dra]
            kubeconfig = "%s"
            """;

    private static final int CONFIG_BYTES = 64;

    /** Makes all of it below a new directory, as a daemon finds it that is not attacked. */
    static Ground lay() throws IOException {
        // short, since the paths of sockets are
        Ground ground = new Ground(Files.createTempDirectory(Path.of("/tmp"), "s"));
        for (Path directory : List.of(
                ground.kubeletDir(),
                ground.cdiDir(),
                ground.deviceInfoDir(),
                ground.classDir(),
                ground.programs(),
                ground.driver(),
                ground.registry())) {
            Files.createDirectories(directory);
        }
        SimulatedNode.unpack(GroundTree.all(), ground.sysroot()).close();
        Files.writeString(ground.config(), ground.mainFile());
        // Every kubelet that knows claims has this file. The other notes come with the first pod.
        Files.writeString(ground.root().resolve("dra_manager_state"), "{}");
        ground.classes("many", many(SOUND));
        return ground;
    }

    Path sysroot() {
        return root.resolve("node");
    }

    Path config() {
        return root.resolve("etc/edgeplug.toml");
    }

    Path classDir() {
        return root.resolve("etc/class.d");
    }

    Path kubeletDir() {
        return root.resolve("dp");
    }

    Path cdiDir() {
        return root.resolve("cdi");
    }

    Path deviceInfoDir() {
        return root.resolve("info");
    }

    /** The directory of the kubelet in which each driver has one of its own. */
    Path driver() {
        return root.resolve("plugins");
    }

    Path registry() {
        return root.resolve("plugins_registry");
    }

    /** The kubelet's identity, which is not there unless an attack brings it. */
    Path kubeconfig() {
        return root.resolve("kubelet.conf");
    }

    Path programs() {
        return root.resolve("bin");
    }

    Path log() {
        return root.resolve("log");
    }

    Path function(String address) {
        return sysroot().resolve("sys/devices/pci0000:00").resolve(address);
    }

    static String devpath(String address) {
        return "/devices/pci0000:00/" + address;
    }

    /** Has a class file there, in place of one of its name. */
    void classes(String name, String text) throws IOException {
        replace(classDir().resolve(name + ".toml"), text.getBytes(StandardCharsets.UTF_8));
    }

    /** The class of the many VFs, with more lines of TOML. */
    static String many(String more) {
        return """
                [[class]]
                resource = "%s"
                kind = "vf"
                match = { pf_names = ["ens2f0"] }
                """.formatted(MANY) + more + "\n";
    }

    /** A program that a class can name. */
    Path program(String name, String script) throws IOException {
        Path file = programs().resolve(name);
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        return file;
    }

    /** Has a function answer, or fall off its bus. */
    void answer(String address, boolean answers) throws IOException {
        byte[] config = new byte[CONFIG_BYTES];
        Arrays.fill(config, (byte) 0xff);
        if (answers) {
            config = new byte[CONFIG_BYTES];
            config[0] = (byte) 0x86;
            config[1] = (byte) 0x80;
        }
        replace(function(address).resolve("config"), config);
    }

    /** Readers find the old bytes or the new ones, and never half of them. */
    static void replace(Path file, byte[] bytes) throws IOException {
        Path part = file.resolveSibling("." + file.getFileName() + ".part");
        Files.write(part, bytes);
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Makes a VF of the first PF as it was at first. */
    void restore(String address) throws IOException {
        delete(function(address));
        Path fresh = Files.createTempDirectory(root, "fresh");
        SimulatedNode.unpack(GroundTree.first(Integer.parseInt(address.substring(address.length() - 1))), fresh)
                .close();
        Files.move(fresh.resolve("sys/devices/pci0000:00").resolve(address), function(address));
        delete(fresh);
    }

    void delete() throws IOException {
        delete(root);
    }

    static void delete(Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (Stream<Path> all = Files.walk(path)) {
            for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(one);
            }
        }
    }

    private String mainFile() {
        return MAIN_FILE.formatted(
                kubeletDir(),
                cdiDir(),
                deviceInfoDir(),
                PROBE,
                FLIP,
                FLIP_VF,
                GROUP,
                GROUP_VFS.get(0),
                GROUP_VFS.get(1),
                PREPARED,
                PREPARED_VF,
                FUZZED,
                kubeconfig());
    }
}
