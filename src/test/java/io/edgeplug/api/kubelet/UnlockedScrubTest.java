package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.FacePods.awaitAll;
import static io.edgeplug.api.kubelet.FacePods.run;
import static io.edgeplug.api.kubelet.FacesNode.HOST;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.LocalKubelet;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A scrub that cannot lock others out. */
@Timeout(90)
final class UnlockedScrubTest extends OnFacesNode {

    @Test
    void scrubThatCannotTakeItsLocksIsReportedAndTriedAgain() throws Exception {
        LocalKubelet kubelet = kubelet();
        TestDaemon daemon = daemon(FLR, 1);
        awaitAll(kubelet, 1);
        run(kubelet, "pod-1", HOST, ID);
        Path lock = daemon.node.root().resolve("run/edgeplug/lock/device-" + ID);
        assertThat(Files.deleteIfExists(lock)).isTrue();
        Files.createDirectory(lock);
        try (LogLines log = LogLines.open()) {
            kubelet.remove("pod-1");

            assertThat(log.await(ID + ": could not be scrubbed: it cannot be locked against other processes"))
                    .isNotEmpty();
            Files.delete(lock);
            assertThat(log.await(ID + ": scrubbed in")).isNotEmpty();
        }
        awaitAll(kubelet, 1);
    }
}
