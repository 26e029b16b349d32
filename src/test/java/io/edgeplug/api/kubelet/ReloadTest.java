package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.GOPHER;
import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.NODE1;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.ResourceState;
import io.edgeplug.model.config.ConfigException;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Classes that change while their resources are served. */
final class ReloadTest {

    private static final ResourceName BADGER = ResourceName.parse("example.com/badger");

    @TempDir
    private Path directory = Path.of("");

    private final Seen<KubeletEvent> events = new Seen<>();

    @Test
    void resourceWhoseClassIsAsItWasKeepsItsSocketAndItsStream()
            throws IOException, ConfigException, InterruptedException, TimeoutException {
        Path kubeletDir = directory.resolve("dp");
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, events::add);
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            kubelet.await(all -> TestDaemon.allHave(2, 3, all), PATIENCE);
            String socket = kubelet.resource(NODE0).endpoint().orElseThrow();

            // read anew, as on SIGHUP: equal classes, and other objects
            List<DeviceClass> classes =
                    ConfigFiles.read(directory.resolve("edgeplug.toml")).classes();
            Files.createDirectories(daemon.node.root().resolve("etc/badgers"));
            Files.createFile(daemon.node.root().resolve("etc/badgers/b1"));
            List<DeviceClass> badger = read(TestDaemon.filesClass(BADGER.toString(), "badgers"));
            daemon.use(Stream.concat(without(GOPHER, classes), badger.stream()).toList());

            kubelet.await(BADGER, state -> state.registered() && state.allocatable() == 1, PATIENCE);
            kubelet.await(GOPHER, state -> !state.registered(), PATIENCE);
            assertThat(kubelet.resource(NODE0).endpoint()).contains(socket);
            assertThat(registrations(NODE0)).isOne();
            assertThat(registrations(NODE1)).isOne();
        }
    }

    @Test
    void resourceThatIsTakenAwaySendsNoEmptyList()
            throws IOException, ConfigException, InterruptedException, TimeoutException {
        Path kubeletDir = directory.resolve("dp");
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, events::add);
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            kubelet.await(all -> TestDaemon.allHave(2, 3, all), PATIENCE);

            daemon.use(without(GOPHER, daemon.classes).toList());

            ResourceState gone = kubelet.await(GOPHER, state -> !state.registered(), PATIENCE);
            assertThat(gone.capacity()).isEqualTo(2);
            assertThat(events.all())
                    .filteredOn(KubeletEvent.DeviceList.class::isInstance)
                    .map(KubeletEvent.DeviceList.class::cast)
                    .noneMatch(list -> list.devices().isEmpty());
        }
    }

    private long registrations(ResourceName resource) {
        return events.all().stream()
                .filter(event -> event instanceof KubeletEvent.Registered one
                        && one.resource().equals(resource))
                .count();
    }

    private List<DeviceClass> read(String classes) throws IOException, ConfigException {
        return ConfigFiles.read(Files.writeString(directory.resolve("other.toml"), classes))
                .classes();
    }

    private static Stream<DeviceClass> without(ResourceName resource, List<DeviceClass> classes) {
        return classes.stream().filter(one -> !one.resource().equals(resource));
    }
}
