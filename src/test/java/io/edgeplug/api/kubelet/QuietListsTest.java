package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.model.device.ResourceName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node on which nothing happens sends the kubelet no list, whatever pods have on it. */
@Timeout(180)
final class QuietListsTest {

    private static final String CLASSES = """
            [[class]]
            resource = "example.com/vfio"
            kind = "vf"
            match = { pci_addresses = ["0000:3b:01.0"] }
            [class.prepare]
            driver = "vfio-pci"

            [[class]]
            resource = "example.com/scrubbed"
            kind = "vf"
            match = { pci_addresses = ["0000:3b:01.1"] }
            [class.prepare]
            command = ["/bin/true"]
            [class.release]
            command = ["/bin/true"]

            [[class]]
            resource = "example.com/host"
            kind = "vf"
            faces = "exclusive"
            match = { pf_names = ["ens2f0"] }

            [[class]]
            resource = "example.com/bound"
            kind = "vf"
            faces = "exclusive"
            match = { pf_names = ["ens2f0"] }
            [class.prepare]
            driver = "vfio-pci"

            [[class]]
            resource = "example.com/shared"
            kind = "path"
            shares = 4
            match = { paths = ["/etc/gophers/g1"] }

            [[class]]
            resource = "example.com/cdi"
            kind = "path"
            hand_over = "cdi"
            match = { paths = ["/etc/gophers/g2"] }
            """;

    private static final List<String> RESOURCES = List.of("vfio", "scrubbed", "host", "bound", "shared", "cdi");

    /** An Allocate that is not noted is asked about after 5 s. */
    private static final long SETTLED = TimeUnit.SECONDS.toNanos(12);

    private static final long QUIET = TimeUnit.SECONDS.toNanos(20);

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    private final Seen<KubeletEvent> events = new Seen<>();

    private long lists() {
        return events.all().stream()
                .filter(KubeletEvent.DeviceList.class::isInstance)
                .count();
    }

    private static void pass(long nanos) {
        long end = System.nanoTime() + nanos;
        while (end - System.nanoTime() > 0) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }

    @Test
    void nothingIsSentWhilePodsHaveDevicesNorAfterThem() throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        Path pods = Files.createDirectories(directory.resolve("pods"));
        LocalKubelet kubelet =
                closing.add(LocalKubelet.open(kubeletDir, KubeletOptions.DEFAULTS.withRoot(directory), events::add));
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir, CLASSES));
        for (String name : RESOURCES) {
            ResourceName resource = ResourceName.parse("example.com/" + name);
            kubelet.await(resource, state -> state.allocatable() > 0, PATIENCE);
        }
        for (String name : List.of("vfio", "scrubbed", "host", "shared", "cdi")) {
            Path own = Files.createDirectory(pods.resolve(name));
            kubelet.admit(PodSpec.of(name, ResourceName.parse("example.com/" + name), 1));
            kubelet.startContainer(name, "main");
            assertThat(own).isDirectory();
        }
        daemon.learnHolders();
        pass(SETTLED);

        long before = lists();
        pass(QUIET);
        assertThat(lists()).as("lists while pods have devices").isEqualTo(before);

        for (String name : List.of("vfio", "scrubbed", "host", "shared", "cdi")) {
            kubelet.remove(name);
        }
        pass(SETTLED);
        long after = lists();
        pass(QUIET);
        assertThat(lists()).as("lists after the pods").isEqualTo(after);
    }
}
