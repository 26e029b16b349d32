package io.edgeplug.api.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.lab.localkubelet.ContainerStartException;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.node.inventory.Inventory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** RDMA adapters whose nodes a driver has made again in another order, while a pod has one of them. */
@Timeout(60)
final class RenumberedTest {

    private static final ResourceName RXE = ResourceName.parse("example.com/rxe");
    private static final ResourceName SIW = ResourceName.parse("example.com/siw");
    private static final String FUNCTION = "0000:02:00.0";
    private static final String VERBS = "sys/class/infiniband_verbs/uverbs";
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    @Test
    void adapterWithTheNodeOfAnotherOneIsUnhealthyAndNobodyGetsTheNodeThatAPodHas() throws Exception {
        Path machine = Path.of("src/test/machines/rxe");
        SimulatedNode.unpack(Files.readString(machine.resolve("tree")), directory.resolve("node"))
                .close();
        Path kubeletDir = directory.resolve("device-plugins");
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, event -> {});
                TestDaemon daemon =
                        TestDaemon.open(directory, kubeletDir, Files.readString(machine.resolve("class.toml")))) {
            await(kubelet, RXE, 1);
            await(kubelet, SIW, 1);
            kubelet.admit(PodSpec.of("mpi", RXE, 1));
            kubelet.startContainer("mpi", "main");

            daemon.node.write(VERBS + "0/ibdev", "siw0");
            daemon.node.write(VERBS + "1/ibdev", "rxe0");
            daemon.node.announce("change", PciAddress.parse(FUNCTION).orElseThrow());
            daemon.monitor.lookAgain("siw0");

            awaitProblem(daemon, RXE, "is /dev/infiniband/uverbs1 now, and its pod was given /dev/infiniband/uverbs0");
            awaitProblem(daemon, SIW, "is /dev/infiniband/uverbs0 now, which a pod was given as " + FUNCTION);
            await(kubelet, SIW, 0);
            assertThatThrownBy(() -> kubelet.startContainer("mpi", "main"))
                    .isInstanceOf(ContainerStartException.class)
                    .hasMessageContaining("its pod was given /dev/infiniband/uverbs0");

            kubelet.remove("mpi");

            await(kubelet, RXE, 1);
            await(kubelet, SIW, 1);
            assertThat(kubelet.admit(PodSpec.of("next", SIW, 1))
                            .container("main")
                            .devices(SIW))
                    .containsExactly("siw0");
        }
    }

    /** In the pod's namespace it is seen by nobody else, with the nodes that the pod was given. */
    @Test
    void adapterThatIsSeenNoLongerIsNotTakenForAnotherOne() throws Exception {
        Path machine = Path.of("src/test/machines/rxe");
        SimulatedNode.unpack(Files.readString(machine.resolve("tree")), directory.resolve("node"))
                .close();
        Path kubeletDir = directory.resolve("device-plugins");
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, event -> {});
                TestDaemon daemon =
                        TestDaemon.open(directory, kubeletDir, Files.readString(machine.resolve("class.toml")))) {
            await(kubelet, RXE, 1);
            kubelet.admit(PodSpec.of("mpi", RXE, 1));

            daemon.node.write(VERBS + "0/ibdev", "gone0");
            daemon.node.announce("change", PciAddress.parse(FUNCTION).orElseThrow());

            kubelet.startContainer("mpi", "main");
        }
    }

    private static void await(LocalKubelet kubelet, ResourceName resource, int allocatable) throws Exception {
        kubelet.await(resource, state -> state.registered() && state.allocatable() == allocatable, PATIENCE);
    }

    private static void awaitProblem(TestDaemon daemon, ResourceName resource, String problem) throws Exception {
        Inventory now = daemon.monitor.current();
        while (!OnSticks.problem(now, resource).equals(problem)) {
            now = daemon.monitor.inventories().awaitNewerThan(now.generation());
        }
    }
}
