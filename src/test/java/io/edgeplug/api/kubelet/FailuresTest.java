package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static io.edgeplug.api.kubelet.TestDaemon.VF0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.lab.localkubelet.ContainerStartException;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.node.supply.Failures.Failure;
import io.edgeplug.node.supply.Failures.Kind;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.StatusRuntimeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whatever fails for a pod is logged, counted, and in the status until it goes well. */
@Timeout(90)
final class FailuresTest {

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    private Served served(String lines) throws Exception {
        return Served.open(closing, directory, lines);
    }

    private static List<Failure> failures(Served served) {
        return served.daemon().view().read().failures();
    }

    private static long count(Served served, Kind kind) {
        return served.daemon().view().read().failed().getOrDefault(kind, -1L);
    }

    @Test
    void startThatCannotBeNotedIsInTheStatusUntilOneGoesWell() throws Exception {
        Served served = served("reset = \"flr\"\n[class.release]\nreset = \"flr\"");
        Path used = directory.resolve("node/var/lib/edgeplug/used");
        boolean ignored = Files.deleteIfExists(used);
        Files.createDirectories(used.getParent());
        Files.writeString(used, "in the way");
        served.kubelet().admit(PodSpec.of("pod", NODE0, 1).in("edge"));
        try (LogLines log = LogLines.open()) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> served.kubelet().startContainer("pod", "main"))
                        .isInstanceOf(ContainerStartException.class);
            }

            assertThat(log.warnings().stream().filter(line -> line.contains("start failed")))
                    .singleElement()
                    .asString()
                    .startsWith(VF0 + ": start failed: for ")
                    .contains("cannot be noted as used: ", used.toString());
            assertThat(failures(served)).singleElement().satisfies(failure -> {
                assertThat(failure.kind()).isEqualTo(Kind.START);
                assertThat(failure.resource()).isEqualTo(NODE0.toString());
                assertThat(failure.subjects()).containsExactly(VF0.toString());
                assertThat(failure.text()).contains("cannot be noted as used");
            });
            assertThat(count(served, Kind.START)).isEqualTo(2);
        }
        Files.delete(used);

        served.kubelet().startContainer("pod", "main");

        assertThat(failures(served)).isEmpty();
        assertThat(count(served, Kind.START)).isEqualTo(2);
    }

    private PluginClient plugin(Served served) throws Exception {
        String socket = served.kubelet()
                .await(NODE0, state -> state.endpoint().isPresent(), PATIENCE)
                .endpoint()
                .orElseThrow();
        return closing.add(PluginClient.dial(
                closing.add(UnixRpc.open()),
                directory.resolve("device-plugins/edgeplug").resolve(socket)));
    }

    @Test
    void refusedAllocateIsInTheStatusUntilTheDeviceIsGiven() throws Exception {
        Served served = served("reset = \"flr\"");
        PluginClient plugin = plugin(served);
        served.daemon().node.fallOff(VF0);
        served.awaitHealth(false);
        try (LogLines log = LogLines.open()) {
            assertThatThrownBy(() -> plugin.allocate(List.of(VF0.toString())))
                    .isInstanceOf(StatusRuntimeException.class);

            log.await(VF0 + ": Allocate failed: Device " + VF0 + " of " + NODE0 + " is unhealthy: ");
        }
        assertThat(failures(served))
                .singleElement()
                .satisfies(failure -> assertThat(failure.kind()).isEqualTo(Kind.ALLOCATE));
        served.daemon().node.comeBack(VF0);
        served.awaitHealth(true);

        assertThat(plugin.allocate(List.of(VF0.toString())).getContainerResponsesCount())
                .isEqualTo(1);

        assertThat(failures(served)).isEmpty();
        assertThat(count(served, Kind.ALLOCATE)).isEqualTo(1);
    }

    @Test
    void deviceThatTheNodeDoesNotHaveIsLoggedAndCountedOnly() throws Exception {
        Served served = served("reset = \"flr\"");
        PluginClient plugin = plugin(served);
        try (LogLines log = LogLines.open()) {
            assertThatThrownBy(() -> plugin.allocate(List.of("none"))).isInstanceOf(StatusRuntimeException.class);

            log.await(NODE0 + ": Allocate failed: Device none of " + NODE0 + " is not on this node");
        }
        assertThat(failures(served)).isEmpty();
        assertThat(count(served, Kind.ALLOCATE)).isEqualTo(1);
    }
}
