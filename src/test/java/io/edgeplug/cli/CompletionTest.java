package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.AutoComplete;

/** What bash completes, with the installed script and the real {@code list}. */
@Timeout(120)
final class CompletionTest {

    private static final Path MACHINE = Path.of("src/test/machines/vfio-bound").toAbsolutePath();
    private static final String NODE =
            " --sysroot " + MACHINE.resolve("tree") + " --config " + MACHINE.resolve("class.toml");

    @TempDir
    private Path directory = Path.of("");

    @BeforeEach
    void install() throws IOException {
        Files.writeString(
                directory.resolve("completion"),
                AutoComplete.bash("edgeplug", Commands.commandLine())
                        + Files.readString(Path.of("packaging/completion.bash")));
        Path edgeplug = Files.writeString(
                directory.resolve("edgeplug"),
                "#!/bin/sh\nexec '%s' -cp '%s' %s \"$@\"\n"
                        .formatted(
                                Path.of(System.getProperty("java.home"), "bin/java"),
                                System.getProperty("java.class.path"),
                                Main.class.getName()));
        Files.setPosixFilePermissions(edgeplug, PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void devicesAndResourcesAreCompletedBehindTheirColons() throws Exception {
        assertThat(completed("edgeplug explain" + NODE + " 0000:5e:02.", "02."))
                .contains("02.0", "02.1")
                .doesNotContain("0000:5e:02.0", "00.0");
        assertThat(completed("edgeplug list" + NODE + " intel", "intel"))
                .containsExactlyInAnyOrder("intel.com/x710_dpdk", "intel.com/x710_netdevice");
        assertThat(completed("edgeplug prepare" + NODE + " 0000:5e:", ":"))
                .contains("02.0")
                .doesNotContain("00.0");
    }

    @Test
    void pfsAreCompletedWhereVfsAreMade() throws Exception {
        assertThat(completed("edgeplug vfs pl", "pl")).contains("plan");
        assertThat(completed("edgeplug vfs plan" + NODE + " 0000:5e:0", "0")).containsExactly("00.0");
    }

    private Path claimed() throws IOException {
        return Files.writeString(directory.resolve("dra.toml"), """
                [[class]]
                resource = "example.com/vf"
                kind = "vf"
                api = "dra"
                match = { vendors = ["8086"] }
                """);
    }

    @Test
    void resourcesThatAreClaimedAreCompletedWhereTheirDeviceClassesArePrinted() throws Exception {
        Path config = claimed();
        assertThat(completed("edgeplug dra dev", "dev")).contains("device-class");
        assertThat(completed("edgeplug dra device-class --config " + config + " exa", "exa"))
                .containsExactly("example.com/vf");
    }

    @Test
    void resourcesAreNotCompletedWhereARoleIsPrinted() throws Exception {
        Path config = claimed();
        assertThat(completed("edgeplug dra rb", "rb")).contains("rbac");
        assertThat(completed("edgeplug dra rbac --ser", "--ser")).contains("--service-account");
        assertThat(completed("edgeplug dra rbac --config " + config + " --node e", "e"))
                .containsExactly("");
    }

    @Test
    void tryIsCompletedWithAResourceAndItsDevices() throws Exception {
        assertThat(completed("edgeplug try" + NODE + " intel.com/x710_d", "intel.com/x710_d"))
                .containsExactly("intel.com/x710_dpdk=");
        assertThat(completed("edgeplug try" + NODE + " intel.com/x710_dpdk=0000:5e:02.0,", "02.0,"))
                .contains("02.0,0000:5e:02.1");
    }

    @Test
    void columnsAreCompletedOneAfterTheOther() throws Exception {
        assertThat(completed("edgeplug list -o +VENDOR,NA", "+VENDOR,NA"))
                .containsExactly("+VENDOR,NAME", "+VENDOR,NAMESPACE");
        assertThat(completed("edgeplug list -o DRI", "DRI")).containsExactly("DRIVER");
    }

    @Test
    void allElseIsCompletedAsBefore() throws Exception {
        assertThat(completed("edgeplug li", "li")).contains("list");
        assertThat(completed("edgeplug list --adv", "--adv")).contains("--advertised");
    }

    /**
     * What bash would show.
     *
     * @param current what bash takes for the word that is completed: what follows the last blank, colon or equals sign
     */
    private List<String> completed(String line, String current) throws Exception {
        Path script = Files.writeString(directory.resolve("complete.sh"), """
                export PATH=%s:$PATH
                . %s
                COMP_LINE='%s' COMP_POINT=%d
                COMP_WORDS=($(tr ' ' '\\n' <<<'%s' | sed '$d') '%s')
                COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                %s
                printf '%%s\\n' "${COMPREPLY[@]}"
                """.formatted(
                        directory, directory.resolve("completion"), line, line.length(), line, current, "_edgeplug"));
        Process bash = new ProcessBuilder("bash", script.toString())
                .redirectError(directory.resolve("err").toFile())
                .start();
        List<String> lines = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(bash.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return lines;
    }
}
