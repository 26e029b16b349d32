package io.edgeplug.soak;

import io.edgeplug.PackageJvm;
import io.edgeplug.model.config.ConfigException;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.node.pods.HeldDevices;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** The daemon's readers of files in a process of their own, in the same heap: more texts than can be reloaded. */
final class Readers {

    private static final int TEXTS = 6_000;
    private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(2);

    private Readers() {}

    static List<Production> all() {
        return List.of(new Production("texts", 10, Readers::texts));
    }

    private static int texts(Attack attack, Random random) throws Exception {
        Path scratch = Files.createTempDirectory(attack.ground().root(), "texts");
        PackageJvm.End end = PackageJvm.run(Readers.class, scratch.toString(), String.valueOf(random.nextLong()));
        end.output().lines().limit(3).forEach(line -> attack.found(Cleanliness.visible(line)));
        if (end.exit() != 0) {
            attack.found("the reader of texts ended with " + end.exit());
        }
        Ground.delete(scratch);
        return TEXTS;
    }

    /** Reads so many texts; arguments: a directory of its own, and a seed. */
    public static void main(String[] args) throws IOException {
        Random random = new Random(Long.parseLong(args[1]));
        Path directory = Path.of(args[0]);
        for (int i = 0; i < TEXTS; i++) {
            long before = System.nanoTime();
            String text = i % 2 == 0 ? TomlInputs.text(random) : FileInputs.json(random);
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            byte[] given = random.nextInt(4) == 0 ? Hostile.spoilt(bytes, random) : bytes;
            try {
                read(directory, given, i % 2 == 0);
            } catch (RuntimeException | StackOverflowError e) {
                System.out.println(e + " at " + List.of(e.getStackTrace()).getFirst() + " for " + text);
            }
            if (System.nanoTime() - before > SLOW_NANOS) {
                System.out.println("took " + (System.nanoTime() - before) / 1_000_000 + " ms: " + text);
            }
        }
    }

    private static void read(Path directory, byte[] text, boolean isToml) throws IOException {
        Path file = Files.write(directory.resolve(isToml ? "edgeplug.toml" : "kubelet_internal_checkpoint"), text);
        try {
            if (isToml) {
                var ignored = ConfigFiles.read(file);
            } else {
                var ignored = HeldDevices.read(directory);
            }
        } catch (ConfigException | IOException e) {
            // as it should be
        }
    }
}
