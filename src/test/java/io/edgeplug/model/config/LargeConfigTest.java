package io.edgeplug.model.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.PackageJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Configurations that are larger than anybody's, read in the daemon's heap. */
@Timeout(120)
final class LargeConfigTest {

    @TempDir
    private Path directory = Path.of("");

    private ConfigDirectory config = new ConfigDirectory(directory);

    /** Reads a configuration, and prints how many classes or which mistakes it has. */
    static final class Reader {

        private Reader() {}

        public static void main(String[] args) {
            try {
                System.out.println(ConfigFiles.read(Path.of(args[0])).classes().size() + " classes");
            } catch (ConfigException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    @BeforeEach
    void setUp() throws IOException {
        config = new ConfigDirectory(directory);
        Files.createDirectory(directory.resolve("class.d"));
    }

    private static String repeated(int times, String text) {
        return IntStream.range(0, times)
                .mapToObj(number -> text.replace("%d", String.valueOf(number)))
                .collect(Collectors.joining());
    }

    private String read() throws Exception {
        PackageJvm.End end = PackageJvm.run(Reader.class, config.main().toString());
        assertThat(end.exit()).as(end.output()).isZero();
        return end.output();
    }

    @ParameterizedTest
    @CsvSource({
        "500000, '=\n'",
        "100000, '[[class]]\n'",
        "40000, '[a%d.b.c.d.e.f.g.h]\n'",
        "80000, 'k%d = 1\n'",
    })
    void fileThatIsTooLargeIsToldWithTheLimit(int times, String text) throws Exception {
        config.write("edgeplug.toml", repeated(times, text));

        assertThat(read())
                .isEqualTo(config.main() + ": is larger than the 64 KiB that a configuration file may have; split it "
                        + "into files in class.d\n");
    }

    @ParameterizedTest
    @CsvSource({
        "32768, '=\n'",
        "6500, '[[class]]\n'",
        "3000, '[a%d.b.c.d.e.f.g.h]\n'",
        "6000, 'k%d = 1\n'",
        "6000, '[[class]]\n'",
        "1, '[[class]]\nresource = \"example.com/x\"\nkind = \"vf\"\nnuma_nodes = [#]\n'",
        "1, '[[class]]\nresource = \"example.com/x\"\nkind = \"vf\"\n[class.match]\nvendors = [#]\n'",
    })
    void largestFileIsReadAndItsFirstMistakesAreTold(int times, String text) throws Exception {
        config.write("edgeplug.toml", repeated(times, text).replace("#", "7,".repeat(32_000) + "7"));

        assertThat(read().lines()).hasSizeBetween(1, 101).allMatch(line -> line.length() < 700);
    }

    @Test
    void tooManyFilesAreToldWithTheLimit() throws Exception {
        config.write("edgeplug.toml", "");
        for (int number = 0; number < 10_000; number++) {
            config.write("class.d/" + number + ".toml", ConfigDirectory.GOOD.formatted("r" + number));
        }

        assertThat(read())
                .isEqualTo(directory + "/class.d: has more than the 256 files of classes that are read; put several "
                        + "classes into one file\n");
    }

    @Test
    void filesThatAreTooLargeTogetherAreToldWithTheLimit() throws Exception {
        config.write("edgeplug.toml", "");
        for (int number = 0; number < 10; number++) {
            config.write("class.d/" + number + ".toml", "#" + "x".repeat(60_000));
        }

        assertThat(read())
                .isEqualTo(directory + "/class.d/4.toml: is more than what is left of the 256 KiB that all "
                        + "configuration files may have together; those after it are not read\n");
    }

    @Test
    void tooManyClassesAreToldWithTheLimit() throws Exception {
        for (String file : new String[] {"edgeplug.toml", "class.d/a.toml"}) {
            config.write(file, repeated(129, ConfigDirectory.GOOD.formatted(file.charAt(0) + "%d")));
        }

        assertThat(read())
                .isEqualTo(config.main() + ": defines 258 classes, with those in class.d, and a node may have 256\n");
    }
}
