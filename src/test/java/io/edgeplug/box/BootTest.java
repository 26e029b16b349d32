package io.edgeplug.box;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The box itself: what scenarios need of a boot. */
@NodeScenario
final class BootTest {

    /** Without a device for random numbers, they came after seven minutes, and D-Bus and logind waited for them. */
    @Test
    void randomNumbersAreThereSecondsAfterTheirDriver(Node node) throws Exception {
        assertThat(Boot.of(node).randomAfterDriver()).isLessThan(5);
    }

    @Test
    void unitsThatAreMissingOrFailedAreTold(Node node) throws Exception {
        node.write("/etc/systemd/system/broken.service", "[Service]\nExecStart=/bin/false");
        node.write("/etc/systemd/system/slow.service", """
                [Service]
                Type=oneshot
                ExecStart=/bin/sleep 1000
                """);
        node.run("systemctl daemon-reload; systemctl start broken.service; systemctl start --no-block slow.service;"
                + " systemctl is-failed --wait broken.service || true");

        IOException told = node.notBooted(new IOException("nothing came"));

        assertThat(told)
                .hasMessageStartingWith("the node did not boot, nothing came\n")
                .hasMessageContainingAll("broken.service", "slow.service", "running", "the end of its console:\n");
    }
}
