package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.GOPHER;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.edgeplug.lab.localkubelet.ListedDevice;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.lab.localkubelet.ResourceState;
import io.edgeplug.model.device.Health;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Allocate looks at each file that it gives: a container runtime makes a directory in place of one that is missing. */
@Timeout(60)
final class HostFilesTest {

    /** Whoever is first tells it: the look of Allocate, or the one that the kernel's event has asked for. */
    private static final List<String> GONE = List.of(
            "Device g1 of example.com/gopher is unhealthy: its file /etc/gophers/g1 is not there",
            "Device g1 of example.com/gopher is not on this node");

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    /** A daemon, its kubelet, and the socket of the gophers. */
    private record Served(TestDaemon daemon, LocalKubelet kubelet, PluginClient plugin) {

        Path file(String path) {
            return daemon.node.root().resolve(path);
        }

        String refusal(String id) {
            StatusRuntimeException refused =
                    catchThrowableOfType(StatusRuntimeException.class, () -> plugin.allocate(List.of(id)));
            assertThat(refused).as("refusal of " + id).isNotNull();
            return String.valueOf(refused.getStatus().getDescription());
        }

        void await(Predicate<List<ListedDevice>> wanted) throws Exception {
            kubelet.await(GOPHER, state -> wanted.test(state.devices()), PATIENCE);
        }

        void awaitHealth(String id, boolean healthy) throws Exception {
            await(list -> list.stream().anyMatch(one -> one.id().equals(id) && one.healthy() == healthy));
        }

        String problem(String id) {
            return daemon.monitor
                    .current()
                    .device(GOPHER, id)
                    .map(device -> device.health())
                    .flatMap(Health::problem)
                    .orElse("");
        }
    }

    private Served served(String line) throws Exception {
        return serve("""
                [[class]]
                resource = "example.com/gopher"
                kind = "path"
                %s
                [class.match]
                paths = ["/etc/gophers/*"]
                """.formatted(line));
    }

    private Served serve(String classes) throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        LocalKubelet kubelet = closing.add(LocalKubelet.open(kubeletDir, event -> {}));
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir, classes));
        ResourceState registered = kubelet.await(GOPHER, state -> state.allocatable() == 2, PATIENCE);
        return new Served(daemon, kubelet, PluginClient.of(registered, kubeletDir, closing));
    }

    @Test
    void fileThatIsGoneIsRefusedByNameAndLeavesTheListAtOnce() throws Exception {
        Served served = served("");
        Files.delete(served.file("etc/gophers/g1"));

        assertThat(served.refusal("g1")).isIn(GONE);

        served.await(list -> list.size() == 1);
        assertThat(served.refusal("g1")).isEqualTo("Device g1 of example.com/gopher is not on this node");
        assertThat(served.plugin().allocate(List.of("g2")).getContainerResponsesCount())
                .isEqualTo(1);
    }

    /** A person who reads two lines looks for two faults. */
    @Test
    void fileThatIsGoneWhileAPodHoldsItHasOneLine() throws Exception {
        try (LogLines log = LogLines.open()) {
            Served served = served("");
            String held = served.kubelet()
                    .admit(PodSpec.of("pod", GOPHER, 1))
                    .container("main")
                    .devices(GOPHER)
                    .getFirst();
            log.await(held + ": held by");
            Path file = served.file("etc/gophers/" + held);

            Files.delete(file);
            log.await(held + ": unhealthy: is gone, and a container may hold it");
            served.daemon().lookAtFilesNow();

            assertThat(log.with(held + ": ")).noneMatch(line -> line.contains("handed over"));
        }
    }

    @Test
    void fileThatIsHandedOverByNameIsLookedAtToo() throws Exception {
        Served served = served("hand_over = \"cdi\"");
        Files.delete(served.file("etc/gophers/g1"));

        assertThat(served.refusal("g1")).isIn(GONE);
        served.await(list -> list.size() == 1);
    }

    @Test
    void directoryInPlaceOfAFileIsUnhealthyUntilThereIsAFileAgain() throws Exception {
        Served served = served("");
        Path file = served.file("etc/gophers/g1");
        Files.delete(file);
        assertThat(served.refusal("g1")).isIn(GONE);
        served.await(list -> list.size() == 1);

        Files.createDirectory(file);
        served.daemon().lookAtFilesNow();
        served.awaitHealth("g1", false);
        assertThat(served.problem("g1")).isEqualTo("/etc/gophers/g1 is a directory now and was a file");
        assertThat(served.refusal("g1"))
                .isEqualTo("Device g1 of example.com/gopher is unhealthy: "
                        + "/etc/gophers/g1 is a directory now and was a file");

        replace(file);
        served.daemon().lookAtFilesNow();
        served.awaitHealth("g1", true);
        assertThat(served.plugin().allocate(List.of("g1")).getContainerResponsesCount())
                .isEqualTo(1);
    }

    @Test
    void directoryThatWasMadeBetweenTwoScansIsSeenByAllocate() throws Exception {
        Served served = served("");
        Path file = served.file("etc/gophers/g1");
        Files.delete(file);
        Files.createDirectory(file);

        assertThat(served.refusal("g1"))
                .isIn(
                        "Device g1 of example.com/gopher is unhealthy: "
                                + "/etc/gophers/g1 is a directory now and was a file",
                        "Device g1 of example.com/gopher is unhealthy: "
                                + "/etc/gophers/g1 has changed while edgeplug looked at it",
                        GONE.getLast());
        served.awaitHealth("g1", false);

        replace(file);
        served.daemon().lookAtFilesNow();
        served.awaitHealth("g1", true);
    }

    @Test
    void fileOfAnotherKindIsUnhealthyUntilItIsAsItWas() throws Exception {
        Served served = served("");
        Path file = served.file("etc/gophers/g1");
        Files.delete(file);
        assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor())
                .isZero();

        assertThat(served.refusal("g1"))
                .isIn(
                        "Device g1 of example.com/gopher is unhealthy: /etc/gophers/g1 is a FIFO now and was a file",
                        GONE.getLast());
        served.awaitHealth("g1", false);

        replace(file);
        served.daemon().lookAtFilesNow();
        served.awaitHealth("g1", true);
    }

    @Test
    void directoryThatAnEarlierDaemonHasSeenMadeIsNotTakenForAFile() throws Exception {
        Path gophers = Files.createDirectories(directory.resolve("node/etc/gophers"));
        Files.createDirectory(gophers.resolve("g1"));
        Files.createFile(gophers.resolve("g2"));
        Files.createFile(gophers.resolve("g3"));

        Served served = served("");

        served.awaitHealth("g1", false);
        assertThat(served.problem("g1"))
                .isEqualTo("/etc/gophers/g1 is a directory, and only a path that ends with / names directories");
        replace(gophers.resolve("g1"));
        served.daemon().lookAtFilesNow();
        served.awaitHealth("g1", true);
    }

    @Test
    void fileOfAGroupIsLookedAtToo() throws Exception {
        Path etc = Files.createDirectories(directory.resolve("node/etc"));
        for (String name : List.of("g1", "g2", "map1", "map2")) {
            Files.createFile(etc.resolve(name));
        }
        Served served = serve("""
                [[class]]
                resource = "example.com/gopher"
                kind = "path"
                [[class.groups]]
                paths = ["/etc/g?", "/etc/map?"]
                """);
        Files.delete(etc.resolve("map1"));

        assertThat(served.refusal("g1"))
                .isIn(
                        "Device g1 of example.com/gopher is unhealthy: its file /etc/map1 is not there",
                        "Device g1 of example.com/gopher is unhealthy: it lacks /etc/map1 of its group");
        served.awaitHealth("g1", false);
    }

    @Test
    void mountThatIsMissingIsRefusedUntilItIsThere() throws Exception {
        node("dev/null", "etc/gophers/g1", "etc/gophers/g2", "srv/g1", "srv/g2");
        Served served = served("mounts = [\"/srv/{id}\", \"/tmp/{id}\"]");
        Files.delete(served.file("srv/g1"));

        assertThat(served.refusal("g1"))
                .isEqualTo("Device g1 of example.com/gopher is unhealthy: its mount /srv/g1 is not there");
        served.awaitHealth("g1", false);

        Files.createFile(served.file("srv/g1"));
        served.daemon().lookAtFilesNow();
        served.awaitHealth("g1", true);
    }

    @Test
    void mountThatThePreparationMakesIsMissedOnceItIsDone() throws Exception {
        Path root = node("dev/null", "etc/gophers/g1", "etc/gophers/g2", "srv/any");
        Served served = serve("""
                [[class]]
                resource = "example.com/gopher"
                kind = "path"
                mounts = ["/srv/{id}"]
                match = { paths = ["/etc/gophers/*"] }
                [class.prepare]
                command = ["/bin/sh", "-c", "test $0 = g2 || touch %s/srv/$0", "{id}"]
                """.formatted(root));

        assertThat(served.plugin().allocate(List.of("g1")).getContainerResponsesCount())
                .isEqualTo(1);
        served.plugin().preStart(List.of("g1"));
        StatusRuntimeException failed = catchThrowableOfType(
                StatusRuntimeException.class, () -> served.plugin().preStart(List.of("g2")));
        assertThat(failed.getStatus().getDescription())
                .isEqualTo("Device g2 of example.com/gopher was prepared and cannot be handed over: "
                        + "its mount /srv/g2 is not there");
    }

    /** A node with these files and no others. */
    private Path node(String... files) throws IOException {
        Path root = directory.resolve("node");
        for (String file : files) {
            Files.createDirectories(root.resolve(file).resolveSibling("."));
            Files.createFile(root.resolve(file));
        }
        return root;
    }

    private static void replace(Path directory) throws IOException {
        Files.delete(directory);
        Files.createFile(directory);
    }
}
