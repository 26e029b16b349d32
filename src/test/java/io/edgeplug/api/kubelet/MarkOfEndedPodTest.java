package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static io.edgeplug.api.kubelet.TestDaemon.VF0;

import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** B6. A device that was not prepared for a pod that has ended, and that nobody has deleted yet. */
@Timeout(90)
final class MarkOfEndedPodTest {

    private static final String CLASS = """
            [[class]]
            resource = "example.com/sriov_node0"
            kind = "vf"
            match = { pci_addresses = ["%s"] }
            [class.prepare]
            command = ["/bin/true"]
            """.formatted(VF0);

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    @Test
    void deviceIsHealthyAgainOnceThePodHasEnded() throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        Path own = Files.createDirectories(directory.resolve("pods/pod/containers/main"));
        LocalKubelet kubelet =
                closing.add(LocalKubelet.open(kubeletDir, KubeletOptions.DEFAULTS.withRoot(directory), event -> {}));
        try (TestDaemon first = TestDaemon.open(directory, kubeletDir, CLASS)) {
            kubelet.await(NODE0, state -> state.allocatable() == 1, PATIENCE);
            kubelet.admit(PodSpec.of("pod", NODE0, 1));
            kubelet.startContainer("pod", "main");
            try (Stream<Path> notes = Files.list(first.node.root().resolve("run/edgeplug/prepared"))) {
                for (Path note : notes.toList()) {
                    Files.setLastModifiedTime(note, FileTime.from(Instant.now().minusSeconds(100)));
                }
            }
        }
        kubelet.restart();
        Instant begun =
                Files.getLastModifiedTime(kubeletDir.resolve("kubelet.sock")).toInstant();
        Files.setLastModifiedTime(own, FileTime.from(begun.plusSeconds(1)));
        TestDaemon ignored = closing.add(TestDaemon.open(directory, kubeletDir, CLASS));
        kubelet.await(NODE0, state -> state.devices().size() == 1 && state.allocatable() == 0, PATIENCE);

        kubelet.end("pod");
        try (LogLines log = LogLines.open()) {
            log.await(VF0 + ": released by");
        }

        kubelet.await(NODE0, state -> state.allocatable() == 1, PATIENCE);
    }
}
