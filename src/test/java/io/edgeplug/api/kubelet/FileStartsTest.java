package io.edgeplug.api.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.model.device.ResourceName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A kubelet that must ask before each start lets no container start while edgeplug is stopped. */
@Timeout(20)
final class FileStartsTest {

    private static final ResourceName FILE = ResourceName.parse("example.com/file");

    @TempDir
    private Path directory = Path.of("");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "['/dev/kvm']                    | 1 | false",
                "['/etc/gophers/*']              | 1 | false",
                "['/dev/kvm', '/etc/gophers/g1'] | 2 | false",
                // a stick may come later
                "['/dev/k*']                     | 1 | true",
                "['/dev/kvm', '/dev/ttyUSB0']    | 1 | true",
                "['/dev/ttyUSB*']                | 0 | true",
                "['/dev/serial/by-id/*']         | 1 | true",
            })
    void startsAreAskedForWhereAPathMayLeadElsewhere(String paths, int devices, boolean isAsked) throws Exception {
        Path dev = Files.createDirectories(directory.resolve("node/dev"));
        Files.createFile(dev.resolve("kvm"));
        Files.createFile(
                Files.createDirectories(directory.resolve("node/etc/gophers")).resolve("g1"));
        Path links = Files.createDirectories(dev.resolve("serial/by-id"));
        Files.createSymbolicLink(links.resolve("usb-1"), Path.of("../../ttyACM0"));
        Files.createFile(dev.resolve("ttyACM0"));
        Path kubeletDir = directory.resolve("device-plugins");
        List<KubeletEvent> events = new CopyOnWriteArrayList<>();

        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, events::add);
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir, """
                        [[class]]
                        resource = "example.com/file"
                        kind = "path"
                        match = { paths = %s }
                        """.formatted(paths.replace('\'', '"')))) {
            kubelet.await(FILE, state -> state.registered() && state.capacity() == devices, TestDaemon.PATIENCE);

            assertThat(events.stream()
                            .filter(KubeletEvent.Registered.class::isInstance)
                            .map(event -> ((KubeletEvent.Registered) event).preStartRequired()))
                    .containsOnly(isAsked);
            assertThat(daemon.classes).hasSize(1);
        }
    }
}
