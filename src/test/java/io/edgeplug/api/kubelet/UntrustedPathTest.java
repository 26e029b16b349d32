package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.GOPHER;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.ResourceState;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.proto.v1beta1.ContainerAllocateResponse;
import io.edgeplug.proto.v1beta1.Mount;
import io.edgeplug.system.files.NeedsRoot;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files at paths that somebody else than root can lead elsewhere: none is ever handed over. */
@Timeout(60)
final class UntrustedPathTest {

    private static final int SOMEBODY = 65534;

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    private Path root = Path.of("");
    private Path gophers = Path.of("");

    @BeforeEach
    void make() throws IOException {
        root = Files.createDirectory(directory.resolve("node"));
        gophers = Files.createDirectories(root.resolve("etc/gophers"));
        Files.createFile(root.resolve("etc/shadow"));
        Files.createDirectories(root.resolve("dev"));
        Files.createFile(root.resolve("dev/null"));
    }

    private record Served(TestDaemon daemon, PluginClient plugin) {

        String problem(String id) {
            return daemon.monitor
                    .current()
                    .device(GOPHER, id)
                    .flatMap(device -> device.health().problem())
                    .orElse("healthy");
        }

        private static String hostPath(Device device) {
            return ((PathDevice) device).files().getFirst().hostPath();
        }

        void await(String id, Predicate<Device> goal) throws InterruptedException {
            Inventory now = daemon.monitor.current();
            while (now.device(GOPHER, id).filter(goal).isEmpty()) {
                now = daemon.monitor.inventories().awaitNewerThan(now.generation());
            }
        }

        /** The device is not looked at until it is thawed. */
        Device freeze(String id) {
            Device device = daemon.monitor.current().device(GOPHER, id).orElseThrow();
            daemon.monitor.freeze(device);
            return device;
        }

        String refusal(String id) {
            StatusRuntimeException refused =
                    catchThrowableOfType(StatusRuntimeException.class, () -> plugin.allocate(List.of(id)));
            assertThat(refused).as("refusal of " + id).isNotNull();
            return String.valueOf(refused.getStatus().getDescription());
        }

        Mount mount(String id) {
            ContainerAllocateResponse answer = plugin.allocate(List.of(id)).getContainerResponses(0);
            assertThat(answer.getMountsCount()).isEqualTo(1);
            return answer.getMounts(0);
        }
    }

    /** With {@code lines} in the class of all files in that directory. */
    private Served serve(int devices, String lines) throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        LocalKubelet kubelet = closing.add(LocalKubelet.open(kubeletDir, event -> {}));
        TestDaemon daemon = closing.add(TestDaemon.open(directory, kubeletDir, """
                [[class]]
                resource = "example.com/gopher"
                kind = "path"
                permissions = "rw"
                %s
                [class.match]
                paths = ["/etc/gophers/*"]
                """.formatted(lines)));
        ResourceState registered = kubelet.await(GOPHER, state -> state.capacity() == devices, PATIENCE);
        return new Served(daemon, PluginClient.of(registered, kubeletDir, closing));
    }

    private static void give(Path file, int uid) throws IOException {
        NeedsRoot.Condition.check();
        Files.setAttribute(file, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
    }

    private static String somebody(Path file) throws IOException {
        return Files.getOwner(file, LinkOption.NOFOLLOW_LINKS).getName();
    }

    @Test
    @NeedsRoot("gives files to other users")
    void filesThatTheOwnerOfADirectoryHasPlantedThereAreUnhealthy() throws Exception {
        Files.createSymbolicLink(gophers.resolve("g2"), Path.of("../shadow"));
        Files.createFile(gophers.resolve("g1"));
        give(gophers, SOMEBODY);

        Served served = serve(2, "");

        String problem =
                "its way leads through /etc/gophers, which belongs to " + somebody(gophers) + ": see trust_owner";
        assertThat(served.problem("g1")).isEqualTo(problem);
        assertThat(served.problem("g2")).isEqualTo(problem);
        assertThat(served.refusal("g2")).isEqualTo("Device g2 of example.com/gopher is unhealthy: " + problem);
    }

    @Test
    @NeedsRoot("gives files to other users")
    void ownerWhomTheClassTrustsMayPlantThem() throws Exception {
        Files.createSymbolicLink(gophers.resolve("g2"), Path.of("../shadow"));
        give(gophers, SOMEBODY);

        Served served = serve(1, "trust_owner = \"" + somebody(gophers) + "\"");

        assertThat(served.problem("g2")).isEqualTo("healthy");
        assertThat(served.mount("g2").getHostPath()).isEqualTo("/etc/shadow");
        assertThat(served.mount("g2").getContainerPath()).isEqualTo("/etc/gophers/g2");
    }

    @Test
    void directoryToWhichOthersCanWriteIsOfNoUse() throws Exception {
        Files.createFile(gophers.resolve("g1"));
        Files.setAttribute(gophers, "unix:mode", 0777);

        Served served = serve(1, "trust_owner = \"root\"");

        assertThat(served.problem("g1")).isEqualTo("its way leads through /etc/gophers, to which anyone can write");
    }

    /** A user can move a file or a link of root from an own directory into a sticky one. */
    @Test
    void stickyDirectoryIsAsSafeAsTheOwnersOfDirectoriesInIt() throws Exception {
        Path open = Files.createDirectories(root.resolve("srv"));
        Files.createFile(Files.createDirectory(open.resolve("in")).resolve("tool"));
        Files.createFile(open.resolve("file"));
        Files.createSymbolicLink(open.resolve("link"), Path.of("../etc/shadow"));
        Files.setAttribute(open, "unix:mode", 01777);
        for (String name : List.of("in/tool", "file", "link")) {
            Files.createSymbolicLink(gophers.resolve(name.replace('/', '-')), Path.of("../../srv", name));
        }

        Served served = serve(3, "");

        assertThat(served.mount("in-tool").getHostPath()).isEqualTo("/srv/in/tool");
        for (String moved : List.of("file", "link")) {
            assertThat(served.problem(moved))
                    .isEqualTo("its way leads through /srv/" + moved
                            + ", which anyone may have moved into a directory to which others can write");
        }
    }

    @Test
    @NeedsRoot("gives files to other users")
    void filesThatOthersHavePutIntoAStickyDirectoryAreUnhealthy() throws Exception {
        Files.setAttribute(gophers, "unix:mode", 01777);
        Path planted = Files.createFile(gophers.resolve("g1"));
        Files.createLink(gophers.resolve("g2"), root.resolve("etc/shadow"));
        Path link = Files.createSymbolicLink(gophers.resolve("g3"), Path.of("../shadow"));
        give(planted, SOMEBODY);
        give(link, SOMEBODY);

        Served served = serve(3, "");

        String belongs = ", which belongs to " + somebody(planted)
                + ", in a directory to which others can write: see trust_owner";
        assertThat(served.problem("g1")).isEqualTo("its way leads through /etc/gophers/g1" + belongs);
        assertThat(served.problem("g2"))
                .isEqualTo("its way leads through /etc/gophers/g2, which has more names, in a directory to which others"
                        + " can write");
        assertThat(served.problem("g3")).isEqualTo("its way leads through /etc/gophers/g3" + belongs);
    }

    @Test
    @NeedsRoot("gives files to other users")
    void directoryOfATrustedOwnerToWhichOthersCanWriteIsOfNoUse() throws Exception {
        Files.createFile(gophers.resolve("g1"));
        Files.setAttribute(gophers, "unix:mode", 0777);
        give(gophers, SOMEBODY);

        Served served = serve(1, "trust_owner = \"" + somebody(gophers) + "\"");

        assertThat(served.problem("g1")).isEqualTo("its way leads through /etc/gophers, to which anyone can write");
    }

    @Test
    @NeedsRoot("gives files to other users")
    void linkOfRootsThatLeadsIntoADirectoryOfSomebodyElseIsUnhealthyToo() throws Exception {
        Path home = Files.createDirectories(root.resolve("home/gopher"));
        Files.createFile(home.resolve("tool"));
        Files.createSymbolicLink(gophers.resolve("g1"), Path.of("../../home/gopher/tool"));
        Files.createSymbolicLink(gophers.resolve("g2"), Path.of("../shadow"));
        give(home, SOMEBODY);

        Served served = serve(2, "");

        assertThat(served.problem("g1")).startsWith("its way leads through /home/gopher, which belongs to ");
        assertThat(served.mount("g2").getHostPath()).isEqualTo("/etc/shadow");
    }

    @Test
    void fileThatWasReplacedSinceItWasLookedAtIsRefusedUntilItIsLookedAt() throws Exception {
        Files.createFile(gophers.resolve("g1"));
        Served served = serve(1, "");
        assertThat(served.mount("g1").getHostPath()).isEqualTo("/etc/gophers/g1");

        Device frozen = served.freeze("g1");
        Files.move(Files.createFile(root.resolve("etc/new")), gophers.resolve("g1"), StandardCopyOption.ATOMIC_MOVE);
        long before = served.daemon().monitor.current().generation();
        assertThat(served.refusal("g1"))
                .isEqualTo("Device g1 of example.com/gopher is unhealthy: "
                        + "its file /etc/gophers/g1 was replaced since edgeplug looked at it");

        served.daemon().monitor.thaw(frozen);
        assertThat(served.daemon()
                        .monitor
                        .inventories()
                        .awaitNewerThan(before, PATIENCE)
                        .generation())
                .isGreaterThan(before);
        served.daemon().lookAtFilesNow();
        assertThat(served.mount("g1").getHostPath()).isEqualTo("/etc/gophers/g1");
    }

    @Test
    void linkThatLeadsElsewhereSinceItWasLookedAtIsRefused() throws Exception {
        Files.createFile(root.resolve("etc/one"));
        Files.createSymbolicLink(gophers.resolve("g1"), Path.of("../one"));
        Served served = serve(1, "");

        Device frozen = served.freeze("g1");
        Files.delete(gophers.resolve("g1"));
        Files.createSymbolicLink(gophers.resolve("g1"), Path.of("../shadow"));

        assertThat(served.refusal("g1")).endsWith("its file /etc/gophers/g1 was replaced since edgeplug looked at it");

        served.daemon().monitor.thaw(frozen);
        served.await("g1", device -> Served.hostPath(device).equals("/etc/shadow"));
    }

    @Test
    @NeedsRoot("gives files to other users")
    void directoryThatIsGivenToSomebodyIsTrustedNoMore() throws Exception {
        Files.createFile(gophers.resolve("g1"));
        Served served = serve(1, "");
        give(gophers, SOMEBODY);

        // Until the watch reports it, Allocate still gives the device, because the file itself is the same.
        served.await("g1", device -> !device.health().isHealthy());
        assertThat(served.refusal("g1"))
                .contains(" is unhealthy: its way leads through /etc/gophers, which belongs to ");
    }

    @Test
    void mountThatSomebodyElseCanLeadElsewhereIsRefused() throws Exception {
        Files.createFile(gophers.resolve("g1"));
        Path srv = Files.createDirectories(root.resolve("srv/cards"));
        Files.createSymbolicLink(srv.resolve("g1"), Path.of("../../etc"));
        Files.setPosixFilePermissions(srv, PosixFilePermissions.fromString("rwxrwxrwx"));

        Served served = serve(1, "mounts = [\"/srv/cards/{id}:rw\"]");

        assertThat(served.refusal("g1"))
                .isEqualTo("Device g1 of example.com/gopher is unhealthy: its mount /srv/cards/g1 is not trusted: "
                        + "its way leads through /srv/cards, to which anyone can write");
    }
}
