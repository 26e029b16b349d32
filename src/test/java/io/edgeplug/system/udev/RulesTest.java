package io.edgeplug.system.udev;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.system.files.NeedsRoot;
import io.edgeplug.system.kernel.OwnNamespaces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What udev itself makes of our rules. */
@ExtendWith(OwnNamespaces.class)
@Timeout(60)
@NeedsRoot("is in namespaces of its own")
final class RulesTest {

    private static final Path RULES = Path.of("udev/90-edgeplug.rules");
    private static final String TAGGED = "CURRENT_TAGS=:edgeplug:";

    @BeforeEach
    void findUdevadm() {
        Assumptions.assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/udevadm")) || Files.isExecutable(Path.of("/bin/udevadm")),
                "needs udevadm: apt-get install udev");
    }

    @Test
    void udevFindsNoMistakeInTheRules() throws Exception {
        RealUdevd.installRules();
        assertThat(test("add", UdevMonitorTest.function())).doesNotContain("90-edgeplug.rules:");

        Files.writeString(Path.of("/run/udev/rules.d/90-edgeplug.rules"), "TAGGG=\"x\"\n");
        assertThat(test("add", UdevMonitorTest.function())).contains("90-edgeplug.rules:1");
    }

    @Test
    void udevVerifiesTheRulesWhereItCan() throws Exception {
        RealUdevd.Ran help = RealUdevd.run("udevadm", "verify", "--help");
        Assumptions.assumeTrue(help.exit() == 0, "udevadm verify came with systemd 254");

        RealUdevd.Ran verified = RealUdevd.run("udevadm", "verify", RULES.toString());

        assertThat(verified.exit()).as(verified.output()).isZero();
    }

    @Test
    void functionIsTaggedAsItComesAndAsItGoes() throws Exception {
        RealUdevd.installRules();
        for (String action : new String[] {"add", "bind", "change", "unbind", "remove"}) {
            assertThat(test(action, UdevMonitorTest.function())).as(action).contains(TAGGED);
        }
    }

    @Test
    void interfaceOfNoFunctionIsLeftAlone() throws Exception {
        RealUdevd.installRules();
        RealUdevd.run("ip", "link", "add", "veth0", "type", "veth", "peer", "name", "peer0");

        assertThat(test("add", Path.of("/sys/class/net/veth0")))
                .doesNotContain("TAGS=:edgeplug")
                .contains("veth0");
    }

    private static String test(String action, Path device) throws IOException, InterruptedException {
        return RealUdevd.run("udevadm", "test", "--action=" + action, device.toString())
                .output();
    }
}
