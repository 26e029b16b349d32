package io.edgeplug.api.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A class that moves from the device plugin to claims, on a kubelet that goes on to ask the device plugin about it. */
@Timeout(90)
final class ClassToClaimsTest {

    private static final ResourceName VF = ResourceName.parse("example.com/vf");
    private static final String PLUGIN = """
            [[class]]
            resource = "example.com/vf"
            kind = "vf"
            match = { pf_names = ["ens1f0"] }
            prepare = { driver = "vfio-pci" }
            """;
    private static final String CLAIMED = PLUGIN + "api = \"dra\"\n";

    @TempDir
    private Path directory = Path.of("");

    private final List<KubeletEvent> events = new CopyOnWriteArrayList<>();

    @AutoClose
    private LocalKubelet kubelet;

    @BeforeEach
    void open() throws IOException {
        kubelet = LocalKubelet.open(
                directory.resolve("device-plugins"), KubeletOptions.DEFAULTS.withRoot(directory), events::add);
    }

    private TestDaemon daemon(String classes) throws Exception {
        return TestDaemon.open(directory, directory.resolve("device-plugins"), classes);
    }

    private List<DeviceClass> classes(String text) throws Exception {
        return ConfigFiles.read(Files.writeString(directory.resolve("edgeplug.toml"), text))
                .classes();
    }

    /** Whether the kubelet would ask the plugin before each container, also of pods that claim. */
    private boolean isAskedBeforeStarts() {
        return events.stream()
                .filter(KubeletEvent.Registered.class::isInstance)
                .map(KubeletEvent.Registered.class::cast)
                .filter(one -> one.resource().equals(VF))
                .toList()
                .getLast()
                .preStartRequired();
    }

    private void runPod() throws Exception {
        kubelet.await(VF, state -> state.registered() && state.allocatable() == 2, TestDaemon.PATIENCE);
        kubelet.admit(PodSpec.of("old", VF, 1));
        kubelet.startContainer("old", "main");
    }

    private void awaitEmpty() throws Exception {
        kubelet.await(VF, state -> state.registered() && state.capacity() == 0, TestDaemon.PATIENCE);
        assertThat(isAskedBeforeStarts()).isFalse();
    }

    @Test
    void kubeletHasNoDeviceAndAsksNoLongerBeforeContainersStart() throws Exception {
        try (TestDaemon daemon = daemon(PLUGIN)) {
            runPod();
            assertThat(isAskedBeforeStarts()).isTrue();

            daemon.use(classes(CLAIMED));

            awaitEmpty();
            assertThat(daemon.view().read().kubelet().registered()).isEmpty();
            kubelet.startContainer("old", "main");

            daemon.use(classes(PLUGIN));

            kubelet.await(VF, state -> state.allocatable() == 2, TestDaemon.PATIENCE);
            assertThat(isAskedBeforeStarts()).isTrue();
        }
    }

    @Test
    void itIsSoIfTheClassMovesWithARestart() throws Exception {
        try (TestDaemon daemon = daemon(PLUGIN)) {
            kubelet.await(VF, state -> state.registered() && state.allocatable() == 2, TestDaemon.PATIENCE);
        }
        try (TestDaemon daemon = daemon(CLAIMED)) {
            awaitEmpty();
        }
    }

    @Test
    void itIsSoAfterLaterRestartsAsLongAsAPodHasADeviceOfThePlugin() throws Exception {
        try (TestDaemon daemon = daemon(PLUGIN)) {
            runPod();
        }
        for (int i = 0; i < 2; i++) {
            try (TestDaemon daemon = daemon(CLAIMED)) {
                awaitEmpty();
            }
        }
        kubelet.remove("old");
        // the kubelet writes its notes with the next pod
        kubelet.restart();
        int before = events.size();
        try (TestDaemon daemon = daemon(CLAIMED + TestDaemon.filesClass("example.com/gopher", "gophers"))) {
            kubelet.await(TestDaemon.GOPHER, state -> state.registered(), TestDaemon.PATIENCE);
            assertThat(List.copyOf(events).subList(before, events.size()))
                    .noneMatch(event -> event instanceof KubeletEvent.Registered one
                            && one.resource().equals(VF));
        }
    }
}
