package io.edgeplug.soak;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** Files of others that the daemon reads: the kubelet's checkpoint, and specifications in the CDI directory. */
final class FileInputs {

    private static final int SPECS = 20;
    private static final int CHECKPOINTS = 10;

    /** As long as the daemon waits for a kubelet that writes its notes again and again. */
    private static final long BURST_NANOS = 120_000_000;

    private static final String CHECKPOINT = "kubelet_internal_checkpoint";

    private static final List<String> JSON = List.of(
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "null",
            "1e999",
            "{}",
            "\"kind\":",
            "\"kind\":\"example.com/flip\",",
            "\"devices\":[{}]",
            "\"devices\":",
            "\"name\":",
            "\"name\":\"0000:3b:01.2\"",
            "\"cdiVersion\":\"0.6.0\",",
            "\"Data\":{",
            "\"PodDeviceEntries\":[",
            "\"PodUID\":\"u\",",
            "\"ContainerName\":\"c\",",
            "\"ResourceName\":\"example.com/flip\",",
            "\"DeviceIDs\":{\"0\":[\"0000:3b:01.2\"]}",
            "\"DeviceIDs\":null",
            "\"Checksum\":1");

    /** Whole specifications, of which each has one thing that a reader may not expect. */
    private static final List<String> SPECIFICATIONS = List.of(
            "{\"kind\":null}",
            "{\"kind\":{}}",
            "{\"kind\":[]}",
            "{\"kind\":\"example.com/flip\",\"devices\":[{}]}",
            "{\"kind\":\"example.com/flip\",\"devices\":[{\"name\":null}]}",
            "{\"kind\":\"example.com/flip\",\"devices\":{}}",
            "{\"kind\":\"example.com/flip\",\"devices\":[[]]}",
            "{\"kind\":\"example.com/flip\",\"devices\":[null]}",
            "null",
            "[]",
            "kind: example.com/flip\ndevices:\n- name: x\n");

    private static final String ALIKE = "example.com/alike";

    private FileInputs() {}

    static List<Production> all() {
        return List.of(
                new Production("files-like-functions", 1, FileInputs::filesLikeFunctions),
                new Production("cdi", 100, FileInputs::cdi),
                new Production("cdi-shapes", 2, FileInputs::cdiShapes),
                new Production(
                        "cdi-objects",
                        1,
                        (attack, random) -> cdiLarge(attack, "x.json", "{\"x\":[" + "{},".repeat(1_000_000) + "{}]}")),
                new Production("cdi-nested", 1, (attack, random) -> cdiLarge(attack, "x.json", "[".repeat(1_000_000))),
                new Production("cdi-newlines", 1, (attack, random) -> cdiLarge(attack, "x.yaml", "\n".repeat(200_000))),
                new Production("checkpoints", 30, FileInputs::checkpoints),
                new Production("checkpoint-string", 1, (attack, random) -> checkpointLarge(attack, "\"", "\":1}", 60)),
                new Production("checkpoint-ids", 1, FileInputs::checkpointIds),
                new Production("checkpoint-fifo", 1, FileInputs::checkpointFifo));
    }

    /** As likely a specification or a checkpoint as not. */
    static String json(Random random) {
        return (random.nextBoolean() ? "{" : "") + Hostile.babble(JSON, random, 40) + (random.nextBoolean() ? "}" : "");
    }

    private static int cdi(Attack attack, Random random) throws Exception {
        for (int i = 0; i < SPECS; i++) {
            Path file = attack.ground().cdiDir().resolve("foreign" + i + (random.nextBoolean() ? ".json" : ".yaml"));
            Files.deleteIfExists(file);
            switch (random.nextInt(6)) {
                case 0 -> Files.createSymbolicLink(file, Path.of("/dev/zero"));
                case 1 -> Files.createSymbolicLink(file, file);
                case 2 -> Libc.INSTANCE.mkfifo(file.toString(), 0600);
                case 3 -> Files.write(file, Hostile.bytes(random, Hostile.size(random, 100_000)));
                default -> Files.writeString(file, json(random));
            }
        }
        boolean ignored = attack.follows();
        clean(attack.ground().cdiDir(), "foreign");
        return SPECS;
    }

    private static int cdiShapes(Attack attack, Random random) throws Exception {
        for (String text : SPECIFICATIONS) {
            int ignored = cdiLarge(attack, text.startsWith("kind") ? "x.yaml" : "x.json", text);
        }
        return SPECIFICATIONS.size();
    }

    private static int cdiLarge(Attack attack, String name, String text) throws Exception {
        Files.writeString(attack.ground().cdiDir().resolve("foreign-" + name), text);
        if (!attack.follows() && attack.target().isAlive()) {
            attack.found("with " + name + " in cdi_dir, changes are no longer seen");
        }
        clean(attack.ground().cdiDir(), "foreign");
        return 1;
    }

    private static void clean(Path directory, String prefix) throws IOException {
        try (var files = Files.newDirectoryStream(directory, prefix + "*")) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
    }

    /** The daemon looks for what containers hold for a minute after a kubelet has come. */
    private static int checkpoints(Attack attack, Random random) throws Exception {
        boolean ignored = attack.soundKubelet(Map.of());
        for (int i = 0; i < CHECKPOINTS; i++) {
            byte[] text = json(random).getBytes(StandardCharsets.UTF_8);
            Ground.replace(
                    attack.ground().kubeletDir().resolve(CHECKPOINT),
                    random.nextInt(3) == 0 ? Hostile.spoilt(text, random) : text);
            LockSupport.parkNanos(BURST_NANOS);
        }
        return CHECKPOINTS;
    }

    private static int checkpointLarge(Attack attack, String before, String after, int mebibytes) throws Exception {
        Path part = attack.ground().root().resolve("checkpoint");
        try (BufferedWriter out = Files.newBufferedWriter(part)) {
            out.write("{\"Data\":{\"PodDeviceEntries\":[{\"PodUID\":" + before);
            for (int i = 0; i < mebibytes; i++) {
                out.write("x".repeat(1 << 20));
            }
            out.write(after);
        }
        return checkpoint(attack, part);
    }

    private static int checkpointIds(Attack attack, Random random) throws Exception {
        Path part = attack.ground().root().resolve("checkpoint");
        try (BufferedWriter out = Files.newBufferedWriter(part)) {
            out.write("{\"Data\":{\"PodDeviceEntries\":[{\"PodUID\":\"u\",\"ContainerName\":\"c\","
                    + "\"ResourceName\":\"example.com/prepared\",\"DeviceIDs\":{\"0\":[");
            for (int i = 0; i < 49_999; i++) {
                out.write("\"%08d%s\",".formatted(i, "x".repeat(592)));
            }
            out.write("\"last\"]}}]}}");
        }
        return checkpoint(attack, part);
    }

    private static int checkpoint(Attack attack, Path part) throws Exception {
        boolean ignored = attack.soundKubelet(Map.of());
        Path file = attack.ground().kubeletDir().resolve(CHECKPOINT);
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        // time to read all of it, and once more
        attack.pass(3_000);
        Files.deleteIfExists(file);
        return 1;
    }

    /** Whoever opens it waits for a writer: what is learnt from the kubelet's notes is learnt no more. */
    private static int checkpointFifo(Attack attack, Random random) throws Exception {
        Path file = attack.ground().kubeletDir().resolve(CHECKPOINT);
        Files.deleteIfExists(file);
        Libc.INSTANCE.mkfifo(file.toString(), 0600);
        boolean ignored = attack.soundKubelet(Map.of());
        attack.pass(1_000);
        // the kernel refuses this one unless somebody waits for a writer; see fifo(7)
        int writer = Libc.INSTANCE.open(file.toString(), Libc.O_WRONLY_NONBLOCK);
        if (writer >= 0) {
            attack.found("a FIFO in the place of the checkpoint, and a thread waits in open for a writer");
            Libc.INSTANCE.close(writer);
        }
        Files.delete(file);
        return 1;
    }

    /** Whoever is allocated such a file would hold the function of that address, by the kubelet's notes. */
    private static int filesLikeFunctions(Attack attack, Random random) throws Exception {
        Path files = Files.createDirectories(attack.ground().sysroot().resolve("etc/alike"));
        // the ID of another device is refused anyway, so these are functions in other words, or a part of one, or to
        // come
        List<String> names =
                List.of(Ground.PREPARED_VF.toUpperCase(Locale.ROOT), Ground.PREPARED_VF + "-region0", "0000:3e:00.0");
        Files.createFile(files.resolve("f0"));
        for (String name : names) {
            Files.createFile(files.resolve(name));
        }
        attack.ground().classes("alike", """
                [[class]]
                resource = "%s"
                kind = "path"
                match = { paths = ["/etc/alike/*"] }
                """.formatted(ALIKE));
        boolean ignored = attack.reload();
        if (!attack.kubelet()
                .await(lists -> lists.getOrDefault(ALIKE, Map.of()).containsKey("f0"), Attack.PATIENCE_MILLIS)) {
            attack.found("a file beside others that are named like functions is not listed");
        }
        for (String name : names) {
            String health = attack.kubelet().health(ALIKE, name);
            if (health.equals("Healthy")) {
                attack.found("a file that is named like the function " + name + " is a healthy device");
            }
        }
        Files.delete(attack.ground().classDir().resolve("alike.toml"));
        boolean unusedAgain = attack.reload();
        return names.size();
    }
}
