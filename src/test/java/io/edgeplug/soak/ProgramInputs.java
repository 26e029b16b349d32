package io.edgeplug.soak;

import io.edgeplug.proto.v1beta1.PreStartContainerRequest;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/** Programs of health checks and preparations that do what no program should, and IDs that a program could take for options. */
final class ProgramInputs {

    private static final String HEALTH = """
            [class.health]
            command = ["%s", "{id}"]
            command_every = "100ms"
            command_timeout = "2s"
            """;

    private static final int IMAGE_MIB = 90;

    /** What the copies may have together. */
    private static final long COPIES_MIB = 256;

    private ProgramInputs() {}

    static List<Production> all() {
        return List.of(
                new Production(
                        "output-without-end", 1, (attack, random) -> health(attack, "exec cat /dev/zero", 4_000)),
                new Production(
                        "output-of-lines", 1, (attack, random) -> health(attack, "exec yes " + Hostile.PLANTED, 4_000)),
                new Production("leaves-a-child", 1, (attack, random) -> health(attack, "sleep 77 & exit 0", 8_000)),
                new Production("leaves-a-session", 1, ProgramInputs::leavesASession),
                new Production("prepare-of-lines", 1, ProgramInputs::prepareOfLines),
                new Production("environment", 1, ProgramInputs::environment),
                new Production("ids-like-options", 1, ProgramInputs::idsLikeOptions),
                new Production("images-side-by-side", 1, ProgramInputs::imagesSideBySide));
    }

    /** One for each of many VFs. */
    private static int health(Attack attack, String script, long millis) throws Exception {
        Path program = attack.ground().program("health", script);
        boolean ignored = attack.many(HEALTH.formatted(program));
        attack.pass(millis);
        if (attack.target().isAlive() && !attack.follows()) {
            attack.found("health programs that run \"" + script + "\", and no list is sent any more");
        }
        attack.manyAsBefore();
        return Ground.MANY_VFS.size();
    }

    /** Its child leaves the process group and keeps the output open: what is left of it after some runs. */
    private static int leavesASession(Attack attack, Random random) throws Exception {
        prepare(attack, "setsid sleep 77 & exit 0");
        Target.Size before = attack.target().size().orElseThrow();
        for (int i = 0; i < 10; i++) {
            preStart(attack, Ground.MANY_VFS.subList(0, 10));
        }
        attack.pass(1_000);
        Target.Size after = attack.target().size().orElse(before);
        if (after.threads() > before.threads() + 50 || after.descriptors() > before.descriptors() + 50) {
            attack.found("100 preparations left " + (after.threads() - before.threads()) + " threads and "
                    + (after.descriptors() - before.descriptors()) + " descriptors behind");
        }
        attack.manyAsBefore();
        return 100;
    }

    private static int prepareOfLines(Attack attack, Random random) throws Exception {
        prepare(attack, "timeout 2 yes " + Hostile.PLANTED);
        preStart(attack, Ground.MANY_VFS.subList(0, 4));
        attack.manyAsBefore();
        return 4;
    }

    private static void prepare(Attack attack, String script) throws Exception {
        Path program = attack.ground().program("prepare", script);
        boolean ignored = attack.many("[class.prepare]\ncommand = [\"" + program + "\"]\ncommand_timeout = 10");
    }

    private static void preStart(Attack attack, List<String> devices) throws Exception {
        try (Calls calls = new Calls()) {
            calls.send(
                    calls.open(attack, Ground.MANY),
                    Calls.V1BETA1 + "PreStartContainer",
                    PreStartContainerRequest.newBuilder()
                            .addAllDevicesIds(devices)
                            .build()
                            .toByteArray());
            calls.awaitAll().ifPresent(attack::found);
        }
    }

    private static int environment(Attack attack, Random random) throws Exception {
        Path seen = attack.ground().root().resolve("environment");
        Path program = attack.ground().program("health", "env > " + seen + ".part; mv " + seen + ".part " + seen);
        boolean ignored = attack.many(HEALTH.formatted(program));
        attack.pass(1_500);
        if (Files.exists(seen) && Files.readString(seen).contains(Target.SECRET)) {
            attack.found("a health program sees the environment of the service");
        }
        attack.manyAsBefore();
        return 1;
    }

    private static int idsLikeOptions(Attack attack, Random random) throws Exception {
        Path files = Files.createDirectories(attack.ground().sysroot().resolve("etc/odd"));
        for (String name : List.of("-rf", "--help", "-o\u001b[2J")) {
            Files.createFile(files.resolve(name));
        }
        Path seen = attack.ground().root().resolve("arguments");
        Path program = attack.ground().program("odd", "for one; do echo \"$one\"; done >> " + seen);
        attack.ground().classes("odd", """
                [[class]]
                resource = "example.com/odd"
                kind = "path"
                match = { paths = ["/etc/odd/*"] }
                """ + HEALTH.formatted(program));
        boolean ignored = attack.reload();
        attack.pass(1_500);
        if (Files.exists(seen)) {
            List<String> lines = Files.readAllLines(seen);
            if (lines.getFirst().startsWith("-") && !lines.getFirst().equals("--")) {
                attack.found(
                        "a program got the ID " + Cleanliness.visible(lines.getFirst()) + " as its first argument");
            }
        }
        Files.delete(attack.ground().classDir().resolve("odd.toml"));
        boolean unusedAgain = attack.reload();
        return 3;
    }

    /** Together they are larger than the copies may be at one time, which each tool counts beside its own. */
    private static int imagesSideBySide(Attack attack, Random random) throws Exception {
        Path image = attack.ground().sysroot().resolve("image");
        byte[] zeros = new byte[1 << 20];
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        try (OutputStream out = Files.newOutputStream(image)) {
            for (int i = 0; i < IMAGE_MIB; i++) {
                out.write(zeros);
                digest.update(zeros);
            }
        }
        Path seen = attack.ground().root().resolve("copies");
        Path tool = attack.ground().program("tool", "sleep 3; cat \"${1%/*}\"/*.bin | wc -c >> " + seen);
        attack.kubelet().forget(Ground.MANY);
        attack.ground().classes("many", """
                [[class]]
                resource = "%s"
                kind = "pci"
                match = { pci_addresses = ["%s"] }
                [class.prepare.program]
                file = "/image"
                sha256 = "%s"
                command = ["%s", "{file}"]
                """.formatted(
                Ground.MANY, String.join("\", \"", Ground.CARDS), HexFormat.of().formatHex(digest.digest()), tool));
        if (!attack.reload()
                || !attack.kubelet().await(lists -> lists.containsKey(Ground.MANY), Attack.PATIENCE_MILLIS)) {
            attack.found("functions that are programmed are not listed");
        }
        preStart(attack, Ground.CARDS);
        long most = Files.exists(seen)
                ? Files.readAllLines(seen).stream()
                        .mapToLong(Long::parseLong)
                        .max()
                        .orElse(0)
                : 0;
        if (most == 0) {
            attack.found("no tool that programs has seen its image: "
                    + Cleanliness.visible(attack.target().lastWords()));
        } else if (most > COPIES_MIB << 20) {
            attack.found("images of " + (most >> 20) + " MiB were copied side by side");
        }
        attack.manyAsBefore();
        return Ground.CARDS.size();
    }
}
