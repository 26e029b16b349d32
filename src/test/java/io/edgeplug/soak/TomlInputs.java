package io.edgeplug.soak;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** Configurations: by the grammar, against it, too large, and such as ask for too much; each is reloaded. */
final class TomlInputs {

    private static final int RELOADS = 20;
    private static final int MAX_TOKENS = 120;

    /** Of TOML and of edgeplug's own keys. */
    private static final List<String> TOKENS = List.of(
            "[[class]]\n",
            "[class.match]\n",
            "[class.prepare]\n",
            "[[class.prepare]]\n",
            "[class.health]\n",
            "[[class.groups]]\n",
            "[class.prepare.vf]\n",
            "[class.prepare.program]\n",
            "resource = \"example.com/new\"\n",
            "resource = \"example.com/probe\"\n",
            "resource = ",
            "kind = \"vf\"\n",
            "kind = \"path\"\n",
            "kind = \"fpga\"\n",
            "paths = [\"/etc/probe/*\"]\n",
            "paths = [\"/*/*/*/*\"]\n",
            "vendors = [\"8086\"]\n",
            "pf_names = [\"ens1f0#0-3\"]\n",
            "pf_names = [\"ens1f0#0-99999999999\"]\n",
            "env = \"Gopher\"\n",
            "env = { A = \"{id}\", B = \"{nope}\" }\n",
            "mounts = [\"/a:/b:rw\", \"/{id}\"]\n",
            "shares = 3\n",
            "shares = -1\n",
            "numa_nodes = [0, 1, 64]\n",
            "hand_over = \"cdi\"\n",
            "timeout = 99999999999999999999\n",
            "settle = \"1ms\"\n",
            "healthy_for = \"9223372036854775807h\"\n",
            "command_every = \"0s\"\n",
            "reset = \"flr\"\n",
            "driver = \"../../etc\"\n",
            "mac = \"random\"\n",
            "annotations = { \"a/b\" = \"{id}\" }\n",
            "= 1\n",
            " = ",
            "[",
            "]",
            "[[",
            "{",
            "}",
            ",",
            "\"",
            "\"\"\"",
            "'''",
            "\n",
            "\r",
            "#",
            "\\u0000",
            "\\U0010FFFF",
            "1979-05-27T07:32:00Z\n",
            "1e400\n",
            "true\n",
            "inf\n");

    private TomlInputs() {}

    static List<Production> all() {
        return List.of(
                new Production("reloads", 120, TomlInputs::reloads),
                new Production("many-class-files", 1, TomlInputs::manyFiles),
                new Production("many-headers", 1, (attack, random) -> large(attack, "[[class]]\n".repeat(100_000))),
                new Production("many-keys", 1, (attack, random) -> large(attack, "=\n".repeat(500_000))),
                new Production("deep-brackets", 1, (attack, random) -> large(attack, "a = " + "[".repeat(100_000))),
                new Production("many-matches", 1, TomlInputs::manyMatches),
                new Production("shares-of-1000", 1, (attack, random) -> shares(attack, 1000)),
                new Production("shares-of-256", 1, (attack, random) -> shares(attack, 256)));
    }

    /** A text that is nearly one of ours. */
    static String text(Random random) {
        String text = Hostile.babble(TOKENS, random, MAX_TOKENS);
        return random.nextInt(3) == 0 ? text : """
                [[class]]
                resource = "example.com/fuzz"
                kind = "path"
                match = { paths = ["/etc/fuzz/*"] }
                """ + (random.nextBoolean() ? text : "");
    }

    private static int reloads(Attack attack, Random random) throws Exception {
        for (int i = 0; i < RELOADS && attack.target().isAlive(); i++) {
            attack.ground().classes("fuzz", text(random));
            reload(attack);
        }
        Files.deleteIfExists(attack.ground().classDir().resolve("fuzz.toml"));
        reload(attack);
        return RELOADS;
    }

    private static void reload(Attack attack) throws Exception {
        if (!attack.reload() && attack.target().isAlive()) {
            attack.found("a reload took longer than " + 3 * Attack.PATIENCE_MILLIS + " ms");
        }
    }

    private static int large(Attack attack, String text) throws Exception {
        attack.ground().classes("large", text);
        reload(attack);
        Files.delete(attack.ground().classDir().resolve("large.toml"));
        reload(attack);
        return 1;
    }

    private static int manyFiles(Attack attack, Random random) throws Exception {
        Path directory = attack.ground().classDir();
        for (int i = 0; i < 10_000; i++) {
            Files.writeString(directory.resolve("f" + i + ".toml"), """
                    [[class]]
                    resource = "example.com/f%d"
                    kind = "path"
                    match = { paths = ["/etc/f%d"] }
                    """.formatted(i, i));
        }
        reload(attack);
        for (int i = 0; i < 10_000; i++) {
            Files.delete(directory.resolve("f" + i + ".toml"));
        }
        reload(attack);
        return 1;
    }

    private static int manyMatches(Attack attack, Random random) throws Exception {
        Path directory = Files.createDirectories(attack.ground().sysroot().resolve("etc/crowd"));
        for (int i = 0; i < 100_000; i++) {
            Files.createFile(directory.resolve("c" + i));
        }
        int done = large(attack, """
                [[class]]
                resource = "example.com/crowd"
                kind = "path"
                match = { paths = ["/etc/crowd/*"] }
                """);
        Ground.delete(directory);
        return done;
    }

    /** Only what is listed may have a file: at most 32,768 shares of one resource. */
    private static int shares(Attack attack, int shares) throws Exception {
        boolean unusedFirst = attack.many("shares = " + shares);
        boolean ignored = attack.follows();
        if (attack.target().isAlive()) {
            try (var files = Files.list(attack.ground().deviceInfoDir())) {
                long count = files.count();
                if (count > 32_768 + 1_000) {
                    attack.found(count + " device-info files for at most 32,768 listed shares");
                }
            }
        }
        attack.manyAsBefore();
        return 1;
    }
}
