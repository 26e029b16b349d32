package io.edgeplug.soak;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** What kernel, firmware and hardware may show in /sys: any bytes, any links, and files that never end or never begin. */
final class SysfsInputs {

    private static final int ATTRIBUTES = 250;

    private static final List<String> NAMES = List.of(
            "config",
            "vendor",
            "device",
            "class",
            "numa_node",
            "driver",
            "driver_override",
            "reset_method",
            "power_state",
            "physfn",
            "iommu_group",
            "subsystem",
            "aer_dev_fatal",
            "acpi_index",
            "sriov_numvfs",
            "sriov_offset",
            "sriov_stride",
            "local_cpulist",
            "fpga_region/region0/compat_id",
            "infiniband/mlx5_0/node_guid",
            "infiniband/mlx5_0/ports/1/state",
            "infiniband/mlx5_0/ports/1/pkeys/0",
            "net/eth9/type",
            "net/eth9/carrier",
            "net/eth9/operstate",
            "vdpa0/driver",
            "uio/uio0/dev",
            "mlx5_core.sf.4/sfnum");

    private static final List<String> VALUES = List.of(
            "0",
            "-1",
            "0x8086",
            "0x020000",
            "4294967296",
            "99999999999999999999",
            "TOTAL_ERR_FATAL 999999999999999999999",
            "TOTAL_ERR_FATAL 5",
            "4: ACTIVE",
            "flr bus",
            "(null)",
            "32",
            "1",
            "0000:0000:0000:0000");

    private SysfsInputs() {}

    static List<Production> all() {
        return List.of(
                new Production("attributes", 80, SysfsInputs::attributes),
                new Production("attribute-blocks", 1, SysfsInputs::blocks),
                new Production("numa-nodes", 1, SysfsInputs::numaNodes),
                new Production("half-changed", 1, SysfsInputs::halfChanged));
    }

    private static int attributes(Attack attack, Random random) throws Exception {
        for (int i = 0; i < ATTRIBUTES; i++) {
            String address = Ground.FUZZED_VFS.get(random.nextInt(Ground.FUZZED_VFS.size()));
            Path function = attack.ground().function(address);
            try {
                change(function, random);
            } catch (IOException e) {
                // what was done before has left no room for this
            }
            attack.announce(address);
            if (i % 10 == 0) {
                attack.awaitHeard();
            }
        }
        attack.awaitHeard();
        for (String address : Ground.FUZZED_VFS) {
            attack.ground().restore(address);
            attack.announce(address);
        }
        return ATTRIBUTES;
    }

    private static void change(Path function, Random random) throws IOException {
        String name = random.nextInt(8) == 0
                ? "net/" + Hostile.name(random) + "/type"
                : NAMES.get(random.nextInt(NAMES.size()));
        Path attribute = function.resolve(name);
        Files.createDirectories(attribute.getParent());
        if (Files.exists(attribute, LinkOption.NOFOLLOW_LINKS)) {
            Ground.delete(attribute);
        }
        switch (random.nextInt(10)) {
            case 0 -> Files.createDirectories(attribute);
            case 1 -> Files.createSymbolicLink(attribute, attribute.getFileName());
            case 2 -> Files.createSymbolicLink(attribute, Path.of("/dev/zero"));
            case 3 -> Files.createSymbolicLink(attribute, Path.of(Hostile.name(random)));
            case 4 -> sparse(attribute);
            case 5 -> Files.write(attribute, Hostile.bytes(random, random.nextInt(8192)));
            case 6 -> Files.write(attribute, Hostile.text(random).getBytes(StandardCharsets.UTF_8));
            case 7 -> {
                // it is not there
            }
            default -> Files.writeString(attribute, VALUES.get(random.nextInt(VALUES.size())) + "\n");
        }
    }

    /** A file that is large and takes no room. */
    private static void sparse(Path file) throws IOException {
        try (RandomAccessFile large = new RandomAccessFile(file.toFile(), "rw")) {
            large.setLength(1L << 30);
        }
    }

    /** A function in reset, whose configuration space nobody can read until it is over. */
    private static int blocks(Attack attack, Random random) throws Exception {
        String address = Ground.FUZZED_VFS.getFirst();
        Path config = attack.ground().function(address).resolve("config");
        Files.delete(config);
        Libc.INSTANCE.mkfifo(config.toString(), 0600);
        attack.announce(address);
        attack.awaitHeard();
        boolean follows = attack.follows();
        if (!follows) {
            attack.found("one attribute that blocks, and no change of any other device is seen");
        }
        // lets go of whoever reads, now and from here on
        try (RandomAccessFile writer = new RandomAccessFile(config.toFile(), "rw")) {
            attack.ground().restore(address);
            attack.announce(address);
            attack.awaitHeard();
        }
        return 1;
    }

    /** Each of 585 ranges has 10,000 nodes; read with the next scan of everything. */
    private static int numaNodes(Attack attack, Random random) throws Exception {
        Path online = attack.ground().sysroot().resolve("sys/devices/system/node/online");
        Files.createDirectories(online.getParent());
        Files.writeString(online, "0-9999,".repeat(585));
        boolean unusedFirst = attack.reload();
        boolean ignored = attack.follows();
        Files.delete(online);
        return 1;
    }

    /** A reset that fails, and so does putting back: from then on the device must not look sound. */
    private static int halfChanged(Attack attack, Random random) throws Exception {
        String address = Ground.PREPARED_VF;
        Path function = attack.ground().function(address);
        Path notes = attack.ground().sysroot().resolve("run/edgeplug/prepare");
        Files.createDirectories(notes);
        Files.setPosixFilePermissions(notes, PosixFilePermissions.fromString("rwx------"));
        Files.delete(function.resolve("driver_override"));
        Files.createDirectory(function.resolve("driver_override"));
        // as a process leaves it that was killed in the middle
        Files.writeString(notes.resolve(address), "driver=iavf\ndriver_override=x\nreset_method=flr\n");
        attack.ground().answer(address, false);
        attack.announce(address);
        if (!attack.kubelet()
                .await(
                        lists -> lists.getOrDefault(Ground.PREPARED, Map.of())
                                .getOrDefault(address, "")
                                .equals("Unhealthy"),
                        Attack.PATIENCE_MILLIS)) {
            attack.found("a function with a note that nobody works on has fallen off its bus, and is listed as "
                    + attack.kubelet().health(Ground.PREPARED, address));
        }
        Files.deleteIfExists(notes.resolve(address));
        attack.ground().restore(address);
        attack.announce(address);
        return 1;
    }
}
