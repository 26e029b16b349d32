package io.edgeplug.system.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of units, and how systemd is asked for them; src/test/packages/inside has systemd run them. */
final class TransientUnitTest {

    private static final Path ESCAPE = Path.of("/usr/bin/systemd-escape");

    private static Program program(Program.Purpose purpose, String device, String... argv) {
        return new Program(purpose, device, List.of(argv), Duration.ofMillis(1500), ProgramLimits.NONE);
    }

    private static String name(String device) {
        return TransientUnit.of(program(Program.Purpose.PREPARE, device, "/bin/true"))
                .name();
    }

    @Test
    void nameSaysWhatItIsForAndForWhichDevice() {
        assertThat(name("0000:3b:02.1")).isEqualTo("edgeplug-prepare-0000:3b:02.1.service");
        assertThat(TransientUnit.of(program(Program.Purpose.HEALTH, "g1", "/bin/true"))
                        .name())
                .isEqualTo("edgeplug-health-g1.service");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0000:3b:02.1", "usb-Foo_Bar-port0", ".hidden", "a b%n$x\\", "größe", "a/b", "x@y.service"})
    void deviceIsEscapedAsSystemdDoes(String device) throws Exception {
        assumeThat(ESCAPE).exists();
        Process process = new ProcessBuilder(ESCAPE.toString(), "--", device).start();
        String escaped = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();

        assertThat(name(device)).isEqualTo("edgeplug-prepare-" + escaped + ".service");
    }

    @Test
    void longNamesFitAndStayDifferentAndTheSame() {
        String device = "-".repeat(300);

        assertThat(name(device)).hasSize(255).isEqualTo(name(device)).isNotEqualTo(name(device + "-"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "sshd.service",
                "edgeplug.service",
                "edgeplug-prepare-.service",
                "edgeplug-prepare-/x.service",
                "edgeplug-prepare-x.service -H host",
                "edgeplug-prepare-x.slice"
            })
    void unitOfSomebodyElseIsNone(String name) {
        assertThatThrownBy(() -> new TransientUnit(name)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void argumentsReachTheProgramAsTheyAreAndNothingElseIsInItsEnvironment() {
        List<String> command =
                UnitRun.command(program(Program.Purpose.PREPARE, "g1", "/opt/wipe", "--", "$HOME ${HOME} $$", "%n %%"));

        int end = command.indexOf("--");
        assertThat(command.subList(end + 1, command.size()))
                .containsExactly(
                        "/bin/sh",
                        "-c",
                        "exec \"$$@\" </dev/null 2>&1 3<>/proc/self/fd/1",
                        "edgeplug",
                        "/usr/bin/env",
                        "-i",
                        "EDGEPLUG_DEVICE=g1",
                        "LANG=C.UTF-8",
                        "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                        "/opt/wipe",
                        "--",
                        "$$HOME $${HOME} $$$$",
                        "%n %%");
    }

    /** The file for its messages may be on a full file system. */
    @Test
    void systemdRunThatEndsWellWithoutAMessageHasSeenTheProgramEndWell() throws Exception {
        UnitRun.Attempt attempt = new UnitRun.Attempt(
                program(Program.Purpose.PREPARE, "g1", "/opt/wipe"), 0, List.of(), Optional.empty(), Optional.empty());

        assertThat(attempt.hasBegun()).isTrue();
        assertThat(attempt.isSuccess()).isTrue();
        assertThat(attempt.end().status()).isEqualTo(0);
    }

    @Test
    void unitEndsByItselfAndHasTheLimitsOfTheClass() {
        ProgramLimits limits = new ProgramLimits(Optional.of("512M"), Optional.of("50%"), OptionalInt.of(64));

        assertThat(UnitRun.command(new Program(
                        Program.Purpose.PREPARE, "g1", List.of("/bin/true"), Duration.ofMillis(1500), limits)))
                .contains(
                        "--property=RuntimeMaxSec=1500ms",
                        "--property=TimeoutStopSec=1s",
                        "--property=MemoryMax=512M",
                        "--property=CPUQuota=50%",
                        "--property=TasksMax=64");
    }

    @Test
    void descriptionDoesNotContinueOnTheNextLineOfTheUnit() {
        assertThat(UnitRun.command(program(Program.Purpose.PREPARE, "g1\\", "/opt/wipe")))
                .contains("--description=edgeplug prepares g1?");
    }

    @Test
    void programWithAnEqualsSignInItsPathIsRefused() {
        assertThatThrownBy(() -> Program.check(List.of("/opt/a=b/wipe")))
                .isInstanceOf(IOException.class)
                .hasMessage("/opt/a=b/wipe: the path of a program must not contain =, rename it");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Failed to create bus connection: Connection refused",
                "Failed to connect to bus: No such file or directory",
                "Failed to connect to system scope bus via local transport: Connection refused",
                "Failed to start transient service unit: Connection timed out"
            })
    void systemdThatDoesNotAnswerIsToldFromAUnitThatItRefuses(String word) {
        assertThat(UnitRun.isUnanswered(word)).isTrue();
        assertThat(UnitRun.isUnanswered("Failed to start transient service unit: Invalid argument"))
                .isFalse();
    }

    private boolean isAlive(Path cgroups, String... shown) throws IOException {
        return new TransientUnit("edgeplug-prepare-g\\x2d1.service").isAlive(List.of(shown), cgroups);
    }

    @Test
    void unitThatSystemdHasGivenUpIsAliveWhileItHasProcesses(@TempDir Path cgroups) throws Exception {
        // systemctl of version 239 shows the backslash so
        String group = "ControlGroup=/system.slice/edgeplug-prepare-g\\x5cx2d1.service";
        Path unit = Files.createDirectories(cgroups.resolve("system.slice/edgeplug-prepare-g\\x2d1.service"));
        Files.writeString(unit.resolve("cgroup.events"), "populated 1\nfrozen 0\n");
        assertThat(isAlive(cgroups, "ActiveState=failed", group)).isTrue();
        assertThat(isAlive(cgroups, group, "ActiveState=inactive")).isTrue();

        Files.writeString(unit.resolve("cgroup.events"), "populated 0\nfrozen 0\n");
        assertThat(isAlive(cgroups, "ActiveState=failed", group)).isFalse();
    }

    @Test
    void processesAreFoundInTheFirstVersionOfCgroupsToo(@TempDir Path cgroups) throws Exception {
        String group = "ControlGroup=/system.slice/edgeplug-prepare-g\\x2d1.service";
        Path unit = Files.createDirectories(cgroups.resolve("systemd/system.slice/edgeplug-prepare-g\\x2d1.service"));
        Files.writeString(unit.resolve("cgroup.procs"), "4711\n");
        assertThat(isAlive(cgroups, "ActiveState=failed", group)).isTrue();

        Files.writeString(unit.resolve("cgroup.procs"), "");
        assertThat(isAlive(cgroups, "ActiveState=failed", group)).isFalse();
    }

    @Test
    void unitWithoutCgroupIsAsAliveAsSystemdSays(@TempDir Path cgroups) throws Exception {
        assertThat(isAlive(cgroups, "ActiveState=failed", "ControlGroup=/system.slice/gone.service"))
                .isFalse();
        assertThat(isAlive(cgroups, "ActiveState=inactive")).isFalse();
        assertThat(isAlive(cgroups, "ActiveState=inactive", "ControlGroup=")).isFalse();
        assertThat(isAlive(cgroups, "ActiveState=deactivating", "ControlGroup="))
                .isTrue();
        assertThatThrownBy(() -> isAlive(cgroups, "Failed to connect to bus: Connection refused"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Connection refused");
    }

    @Test
    void programsOfAnotherNodeRunInThisProcess() throws Exception {
        Path root = Files.createTempDirectory("node");
        try {
            assertThat(Supervisor.of(Sysfs.at(root))).isEqualTo(Supervisor.THIS_PROCESS);
        } finally {
            Files.delete(root);
        }
    }
}
