package io.edgeplug.model.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.model.rules.Step;
import io.edgeplug.system.programs.ProgramLimits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RecipeReaderTest {

    @TempDir
    private Path directory = Path.of("");

    private DeviceClass read(String kind, String match, String prepare) throws Exception {
        return ConfigFiles.read(file(kind, match, prepare)).classes().getFirst();
    }

    private Path file(String kind, String match, String prepare) throws Exception {
        return Files.writeString(directory.resolve("edgeplug.toml"), """
                [[class]]
                resource = "example.com/x"
                kind = "%s"
                match = { %s }
                %s
                """.formatted(kind, match, prepare));
    }

    private void assertMistakes(String kind, String prepare, String... mistakes) throws Exception {
        Path file = file(kind, kind.equals("path") ? "paths = [\"/x/*\"]" : "vendors = [\"8086\"]", prepare);
        ConfigException told = catchThrowableOfType(ConfigException.class, () -> ConfigFiles.read(file));
        assertThat(String.valueOf(told.getMessage())
                        .lines()
                        .map(line -> line.replaceAll("^.*\\(example.com/x\\): ", "")))
                .containsExactlyInAnyOrder(mistakes);
    }

    @Test
    void stepsAreInTheOrderThatMakesSenseAndTablesOneAfterTheOther() throws Exception {
        DeviceClass read = read("vf", "vendors = [\"8086\"]", """
                [[class.prepare]]
                timeout = 20
                command = ["/bin/true", "{pf}#{vf}"]
                driver = "vfio-pci"
                reset = "flr"
                vf = { mac = "random", vlan = 0, trust = false, max_tx_rate = 100 }
                [[class.prepare]]
                reset = "rebind"
                """);

        assertThat(read.recipe().timeout()).isEqualTo(Duration.ofSeconds(20));
        assertThat(read.recipe().steps())
                .extracting(step -> step.word() + ": " + step.text())
                .containsExactly(
                        "vf: mac random, vlan 0, trust off, at most 100 Mbit/s",
                        "reset: flr",
                        "driver: vfio-pci",
                        "command: /bin/true {pf}#{vf}",
                        "reset: rebind");
        assertThat(read.recipe().steps().get(3))
                .isInstanceOfSatisfying(
                        Step.Command.class,
                        command -> assertThat(command.timeout()).isEqualTo(Duration.ofSeconds(20)));
    }

    @Test
    void durationsAreStringsWithAUnitOrWholeSecondsEverywhere() throws Exception {
        DeviceClass strings = read("path", "paths = [\"/x/*\"]", """
                health = { command = ["/bin/true"], command_timeout = "2s", command_every = "5m" }
                prepare = { timeout = "25s", command = ["/bin/true"], command_timeout = "2m" }
                """);
        DeviceClass numbers = read("path", "paths = [\"/x/*\"]", """
                health = { command = ["/bin/true"], command_timeout = 2, command_every = 300 }
                prepare = { timeout = 25, command = ["/bin/true"], command_timeout = 120 }
                """);

        assertThat(numbers).isEqualTo(strings);
        assertThat(numbers.recipe().timeout()).isEqualTo(Duration.ofSeconds(25));
        assertThat(numbers.health().commandEvery()).isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void durationThatIsNoneOrTooLongIsToldWithBothForms() throws Exception {
        assertMistakes(
                "path",
                """
                health = { command = ["/bin/true"], command_timeout = 0.5, command_every = 90000 }
                prepare = { timeout = "29s", command = ["/bin/true"], command_timeout = "0s" }
                """,
                "health.command_timeout: must be a duration, as \"25s\" or a whole number of seconds, not a number with"
                        + " a fraction",
                "health.command_every: must be \"0s\" to \"24h\", not 90000",
                "prepare.timeout: must be \"1s\" to \"28s\", not \"29s\"",
                "prepare.command_timeout: must be \"1s\" to \"1h\", not \"0s\"");
    }

    @Test
    void classThatBindsADriverTakesWhatIsBoundToIt() throws Exception {
        DeviceClass read = read("vf", "drivers = [\"iavf\"]", "prepare = { driver = \"vfio-pci\" }");

        assertThat(read.selectors().getFirst().values(SelectorWord.DRIVERS)).containsExactly("iavf", "vfio-pci");
    }

    @Test
    void limitsAreThoseOfEveryProgramOfTheClass() throws Exception {
        DeviceClass read = read("pci", "vendors = [\"10ee\"]", """
                [class.limits]
                memory_max = "512M"
                cpu_quota = "50%"
                tasks_max = 64
                [class.health]
                command = ["/bin/true"]
                [class.prepare]
                command = ["/bin/true"]
                """);

        ProgramLimits limits = new ProgramLimits(Optional.of("512M"), Optional.of("50%"), OptionalInt.of(64));
        assertThat(read.health().limits()).isEqualTo(limits);
        assertThat(read.recipe().steps())
                .singleElement()
                .isInstanceOfSatisfying(
                        Step.Command.class,
                        command -> assertThat(command.limits()).isEqualTo(limits));
    }

    @Test
    void limitsThatAreNoneAndThoseOfNoProgramAreTold() throws Exception {
        assertMistakes(
                "pci",
                "limits = { memory_max = \"512\", cpu_quota = \"0.5\", tasks_max = 0 }",
                "limits.memory_max: \"512\" is not an amount like \"512M\" or \"2G\"",
                "limits.cpu_quota: \"0.5\" is not an amount like \"50%\" or \"200%\"",
                "limits.tasks_max: must be 1 to 4194304, not 0");
        assertMistakes(
                "pci",
                "limits = { tasks_max = 1 }",
                "limits: is about the programs of [class.prepare], [class.release] and [class.health], and there is none");
    }

    @Test
    void everyMistakeIsTold() throws Exception {
        assertMistakes(
                "vf",
                """
                [class.prepare]
                timeout = 30
                reset = "warm"
                driver = "vfio pci"
                command = ["wipe", "{region}", "{"]
                program = { file = "/x" }
                rest = 1
                [class.prepare.vf]
                mac = "01:00:00:00:00:00"
                vlan = 4095
                min_tx_rate = 10
                max_tx_rate = 5
                link_state = "up"
                """,
                "prepare.timeout: must be \"1s\" to \"28s\", not 30",
                "prepare.vf.mac: \"01:00:00:00:00:00\" is not \"random\" or a station's address",
                "prepare.vf.vlan: must be 0 to 4094, not 4095",
                "prepare.vf.link_state: \"up\" is not auto, enable or disable",
                "prepare.vf.min_tx_rate: is more than max_tx_rate",
                "prepare.reset: \"warm\" is none of none, flr, bus, function, rebind",
                "prepare.driver: \"vfio pci\" is not a name of a driver, as vfio-pci",
                "prepare.program: does not apply to kind vf",
                "prepare.program.sha256: missing",
                "prepare.command: \"wipe\" is not the absolute path of a program",
                "prepare.command: \"{region}\": {region} is none of {id}, {bdf}, {numa_node}, {driver}, {iommu_group}, "
                        + "{vendor}, {device}, {pf}, {pf_bdf}, {vf}, {netdev}, {rdma}",
                "prepare.command: \"{\": has a brace that stands alone; doubled, it means itself",
                "prepare.rest: unknown key, did you mean reset?");
    }

    @Test
    void usbDeviceIsResetByItsPortAndInNoOtherWay() throws Exception {
        assertThat(read("usb", "vendors = [\"0bda\"]", "prepare = { reset = \"usb\" }")
                        .recipe()
                        .steps())
                .containsExactly(new Step.Reset(Step.Reset.Method.USB));
        assertMistakes("usb", "prepare = { reset = \"flr\" }", "prepare.reset: \"flr\" is none of none, usb");
        assertMistakes(
                "vf",
                "prepare = { reset = \"usb\" }",
                "prepare.reset: \"usb\" is none of none, flr, bus, function, rebind");
    }

    @Test
    void whatIsNoFunctionIsNotReset() throws Exception {
        assertMistakes(
                "path",
                "[class.prepare]\nreset = \"flr\"\ncommand = [\"/bin/true\", \"{bdf}\"]\n",
                "prepare.reset: does not apply to kind path",
                "prepare.command: \"{bdf}\": {bdf} is none of {id}, {path}, {target}, {name}, {dir}, {hash}");
    }

    @Test
    void sharedDeviceIsNotPreparedWhileOthersUseIt() throws Exception {
        assertMistakes(
                "vf",
                "shares = 2\n[class.prepare]\nreset = \"flr\"\n",
                "prepare: would prepare a device that has shares while others use it");
    }

    @Test
    void timeoutIsSaidOnce() throws Exception {
        assertMistakes(
                "vf",
                "[[class.prepare]]\ntimeout = 2\n[[class.prepare]]\ntimeout = 3\n",
                "prepare.timeout: is given twice, but the whole recipe has one timeout");
    }
}
