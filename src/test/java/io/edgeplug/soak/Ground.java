package io.edgeplug.soak;

import io.edgeplug.simulation.SimulatedNode;
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
            """;

    private static final String SOUND_CONFIG = "\\x86\\x80" + "\\x00".repeat(62);
    private static final int CONFIG_BYTES = 64;

    /** Makes all of it below a new directory, as a daemon finds it that is not attacked. */
    static Ground lay() throws IOException {
        // short, since the paths of sockets are
        Ground ground = new Ground(Files.createTempDirectory(Path.of("/tmp"), "s"));
        for (Path directory : List.of(
                ground.kubeletDir(), ground.cdiDir(), ground.deviceInfoDir(), ground.classDir(), ground.programs())) {
            Files.createDirectories(directory);
        }
        SimulatedNode.unpack(tree(), ground.sysroot()).close();
        Files.writeString(ground.config(), ground.mainFile());
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
        SimulatedNode.unpack(first(Integer.parseInt(address.substring(address.length() - 1))), fresh)
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
                FUZZED);
    }

    private static String tree() {
        StringBuilder tree = new StringBuilder("""
                [etc/probe]
                p0 =
                p1 =
                p2 =
                [proc/net]
                route = Iface\\neth0\t00000000\t0\t3\t0\t0\t0\t00000000
                [dev/vfio]
                vfio =
                [sys/bus/pci/drivers]
                iavf/bind =
                iavf/unbind =
                vfio-pci/bind =
                vfio-pci/unbind =
                """);
        tree.append(function(
                "0000:3b:00.0", "", "ice", 1, "ens1f0", "sriov_numvfs = 8\nsriov_offset = 8\nsriov_stride = 1"));
        tree.append(function(
                "0000:3c:00.0", "", "ice", 2, "ens2f0", "sriov_numvfs = 248\nsriov_offset = 8\nsriov_stride = 1"));
        for (int i = 0; i < 8; i++) {
            tree.append(first(i));
        }
        for (String address : MANY_VFS) {
            tree.append(function(address, "0000:3c:00.0", "iavf", 100 + MANY_VFS.indexOf(address), "", ""));
        }
        CARDS.forEach(address -> tree.append(function(address, "", "xclmgmt", 400 + CARDS.indexOf(address), "", "")
                .replace("class = 0x020000", "class = 0x120000")));
        return tree.toString();
    }

    /** A VF of the first PF. */
    private static String first(int number) {
        boolean isInGroup = number < GROUP_VFS.size();
        return function(
                "0000:3b:01." + number,
                "0000:3b:00.0",
                isInGroup ? "vfio-pci" : "iavf",
                isInGroup ? 17 : 20 + number,
                isInGroup ? "" : "ens1f0v" + number,
                "");
    }

    private static String function(String address, String pf, String driver, int group, String netName, String more) {
        String text = """
                [sys/devices/pci0000:00/%1$s]
                vendor = 0x8086
                device = 0x1889
                class = 0x020000
                numa_node = 0
                power_state = D0
                reset =
                reset_method = flr
                driver_override = (null)
                config = %2$s
                subsystem -> ../../../bus/pci
                driver -> ../../../bus/pci/drivers/%3$s
                iommu_group -> ../../../kernel/iommu_groups/%4$d
                """.formatted(address, SOUND_CONFIG, driver, group);
        if (!pf.isEmpty()) {
            text += "physfn -> ../" + pf + "\n";
        } else {
            text += more + "\n";
        }
        if (!netName.isEmpty()) {
            text += """
                    net/%1$s/type = 1
                    net/%1$s/carrier = 1
                    [sys/class/net]
                    %1$s -> ../../devices/pci0000:00/%2$s/net/%1$s
                    """.formatted(netName, address);
        }
        return text + """
                [sys/bus/pci/devices]
                %1$s -> ../../../devices/pci0000:00/%1$s
                [sys/kernel/iommu_groups/%2$d/devices]
                %1$s -> ../../../../devices/pci0000:00/%1$s
                """.formatted(address, group);
    }
}
