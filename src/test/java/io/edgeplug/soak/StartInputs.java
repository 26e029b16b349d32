package io.edgeplug.soak;

import io.edgeplug.PackageJvm;
import io.edgeplug.cli.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** What a daemon finds when it starts, and what the commands print of it: each on ground of its own. */
final class StartInputs {

    private static final int NOBODY = 65534;
    private static final int EXIT_CONFIG = 78;

    private StartInputs() {}

    /** Something is planted, and something must then be so. */
    private interface Plant {
        void into(Ground ground) throws IOException;
    }

    static List<Production> all() {
        return List.of(
                start("directory-named-socket", ground -> {
                    Path directory = ground.kubeletDir().resolve("edgeplug/edgeplug-a.sock");
                    Files.createDirectories(directory.resolve("x"));
                    Files.createDirectories(ground.kubeletDir().resolve("edgeplug-a.sock/x"));
                }),
                start("link-to-a-socket", ground -> {
                    Path served = Path.of("/run/udev/control");
                    Path own = ground.kubeletDir().resolve("edgeplug");
                    Files.createDirectories(own);
                    Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwx------"));
                    Files.createSymbolicLink(own.resolve("edgeplug-b.sock"), served);
                    Files.createSymbolicLink(ground.kubeletDir().resolve("edgeplug-b.sock"), served);
                }),
                start(
                        "cdi-at-start",
                        ground -> Files.writeString(ground.cdiDir().resolve("foreign.json"), "{\"kind\":null}")),
                start("attribute-blocks-at-start", ground -> {
                    Path config = ground.function(Ground.FUZZED_VFS.getFirst()).resolve("config");
                    Files.delete(config);
                    Libc.INSTANCE.mkfifo(config.toString(), 0600);
                }),
                start("notes-at-start", StartInputs::spoilNotes),
                new Production("configuration-of-nobody", 1, StartInputs::configurationOfNobody),
                new Production("link-of-nobody", 1, StartInputs::linkOfNobody),
                new Production("names-in-commands", 1, StartInputs::namesInCommands));
    }

    /** Notes of claims that are too many, too large, deep, or no files. */
    private static void spoilNotes(Ground ground) throws IOException {
        Path notes = Files.createDirectories(ground.sysroot().resolve("var/lib/edgeplug/claims"));
        String text = "x".repeat(900_000);
        for (int i = 0; i < 60; i++) {
            Files.writeString(
                    notes.resolve("large-" + i + ".json"),
                    "{\"uid\":\"large-" + i + "\",\"namespace\":\"" + text + "\"}");
        }
        Files.writeString(notes.resolve("deep.json"), "[".repeat(1 << 19));
        Files.writeString(notes.resolve("parts.json"), "{\"pods\":[" + "{},".repeat(1 << 18) + "{}]}");
        Files.createDirectories(notes.resolve("directory.json/x"));
        Files.createSymbolicLink(notes.resolve("dangling.json"), Path.of("nowhere"));
        Files.createSymbolicLink(notes.resolve("zero.json"), Path.of("/dev/zero"));
        Libc.INSTANCE.mkfifo(notes.resolve("fifo.json").toString(), 0600);
    }

    private static Production start(String name, Plant plant) {
        return new Production(name, 1, (attack, random) -> {
            Ground ground = Ground.lay();
            plant.into(ground);
            try (Target target = Target.start(ground)) {
                if (!target.awaitReady(20)) {
                    attack.found("does not start"
                            + target.exit().map(exit -> ", exit " + exit).orElse("") + ": "
                            + Cleanliness.visible(target.lastWords()));
                }
            }
            ground.delete();
            return 1;
        });
    }

    /** Whoever may write the configuration may have the daemon run programs as root. */
    private static int configurationOfNobody(Attack attack, Random random) throws Exception {
        Ground ground = Ground.lay();
        Files.setAttribute(ground.classDir(), "unix:uid", NOBODY);
        try (Target target = Target.start(ground)) {
            if (target.awaitReady(20)) {
                attack.found("class.d belongs to uid " + NOBODY + ", and its classes are served");
            } else if (!target.exit().equals(Optional.of(EXIT_CONFIG))) {
                attack.found("class.d belongs to uid " + NOBODY + ", and the exit is "
                        + target.exit().map(String::valueOf).orElse("none"));
            }
        }
        ground.delete();
        return 1;
    }

    /** A link that a local user has planted must not be handed over as what it leads to. */
    private static int linkOfNobody(Attack attack, Random random) throws Exception {
        Ground ground = Ground.lay();
        Path directory = Files.createDirectories(ground.sysroot().resolve("etc/planted"));
        Files.createSymbolicLink(directory.resolve("g2"), Path.of("/etc/shadow"));
        Files.setAttribute(directory.resolve("g2"), "unix:uid", NOBODY, LinkOption.NOFOLLOW_LINKS);
        Files.setAttribute(directory, "unix:uid", NOBODY);
        ground.classes("planted", """
                [[class]]
                resource = "example.com/planted"
                kind = "path"
                permissions = "rw"
                match = { paths = ["/etc/planted/*"] }
                """);
        String listed = run(ground, "list", "--sysroot", ground.sysroot().toString(), "g2");
        if (listed.lines().anyMatch(line -> line.startsWith("g2 ") && line.contains(" healthy"))) {
            attack.found("a link that uid " + NOBODY + " planted is healthy: " + listed.strip());
        }
        ground.delete();
        return 1;
    }

    /** A pod may rename the interface of its VF, and a device may say anything of itself. */
    private static int namesInCommands(Attack attack, Random random) throws Exception {
        Ground ground = Ground.lay();
        int inputs = 0;
        for (int i = 0; i < 4; i++) {
            String address = Ground.FUZZED_VFS.get(i);
            Path function = ground.function(address);
            Path net = function.resolve(
                    "net/x" + List.of("\u001b[2J", "\u202e", "\u0085", "\u009b").get(i));
            Files.createDirectories(net);
            Files.writeString(net.resolve("type"), "1\n");
            Files.delete(function.resolve("driver"));
            Files.createSymbolicLink(
                    function.resolve("driver"),
                    Path.of("../x"
                            + List.of("\u001b[2J", "\u202e", "\u0085", "\u009b").get(i)));
            for (List<String> command :
                    List.of(List.of("explain", address), List.of("list", "-o", "+NETDEV,DRIVER", address))) {
                List<String> words = new ArrayList<>(command);
                words.addAll(List.of("--sysroot", ground.sysroot().toString()));
                String said = run(ground, words.toArray(String[]::new));
                inputs++;
                if (Cleanliness.isUnclean(said.replace("\n", ""))) {
                    attack.found(command.getFirst() + " prints control characters that a name has");
                }
            }
        }
        ground.delete();
        return inputs;
    }

    private static String run(Ground ground, String... words) throws Exception {
        List<String> command = PackageJvm.command(List.of(), Main.class, words);
        command.addAll(List.of("--config", ground.config().toString()));
        return PackageJvm.run(command).output();
    }
}
