package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.GOPHER;
import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.VF0;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.model.config.ConfigFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** B5. A function has its host driver back after its pod, also if its class was removed meanwhile. */
@Timeout(90)
final class HostDriverAfterReloadTest {

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void driverIsGivenBackAfterThePodHasEnded(boolean isClassRemoved) throws Exception {
        Path pod = Files.createDirectories(directory.resolve("pods/pod"));
        Served served =
                Served.open(closing, directory, "driver = \"vfio-pci\"", KubeletOptions.DEFAULTS.withRoot(directory));
        Path driver = served.daemon().node.root().resolve("sys/bus/pci/drivers/iavf/" + VF0);
        served.kubelet().admit(PodSpec.of("pod", NODE0, 1));
        served.kubelet().startContainer("pod", "main");
        assertThat(driver).doesNotExist();
        served.daemon().learnHolders();
        if (isClassRemoved) {
            served.daemon()
                    .use(ConfigFiles.read(Files.writeString(
                                    directory.resolve("edgeplug.toml"),
                                    TestDaemon.filesClass(GOPHER.toString(), "gophers")))
                            .classes());
            served.kubelet().await(NODE0, state -> !state.registered(), TestDaemon.PATIENCE);
        }

        // The kubelet notes the pod until it gives devices to another one.
        served.kubelet().end("pod");
        Files.delete(pod);

        Seen.untilSo("function has its host driver", () -> Files.exists(driver));
    }
}
