package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.VF0;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.proto.podresources.ContainerDevices;
import io.edgeplug.proto.podresources.ContainerResources;
import io.edgeplug.proto.podresources.ListPodResourcesResponse;
import io.edgeplug.proto.podresources.PodResources;
import io.edgeplug.system.files.NeedsRoot;
import io.edgeplug.system.rpc.OtherUser;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pods come and go while the kubelet's sockets that tell of pods are of no use: the checkpoint alone is used. */
@Timeout(120)
final class HostilePodApisTest {

    private static final String RETURNED = VF0 + ": returned to its host driver iavf";

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    /** What is there instead of a kubelet. */
    enum Instead {
        NOTHING {
            @Override
            void serve(Path root, Closing closing) {
                // there is no socket
            }
        },
        GARBAGE {
            @Override
            void serve(Path root, Closing closing) throws Exception {
                babble(listen(root.resolve("pod-resources"), closing));
                babble(listen(root.resolve("pods"), closing));
            }
        },
        SILENCE {
            @Override
            void serve(Path root, Closing closing) throws Exception {
                ServerSocketChannel ignored = listen(root.resolve("pod-resources"), closing);
                ignored = listen(root.resolve("pods"), closing);
            }
        },
        REFUSALS {
            @Override
            void serve(Path root, Closing closing) throws Exception {
                closing.add(RefusingPodResources.always(root));
            }
        },
        ANOTHER_USERS("belongs to a process of uid " + OtherUser.UID + ", not of root; ") {
            @Override
            void serve(Path root, Closing closing) throws Exception {
                Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
                for (String in : List.of("pod-resources", "pods")) {
                    Path directory = Files.createDirectories(root.resolve(in));
                    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
                    UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("kubelet.sock"));
                    ServerSocketChannel server = closing.add(ServerSocketChannel.open(StandardProtocolFamily.UNIX));
                    ServerSocketChannel ignored = OtherUser.call(() -> server.bind(address));
                }
            }
        };

        /** What the log says about each of both sockets; empty where that is not the same each time. */
        private final String reason;

        Instead() {
            this("");
        }

        Instead(String reason) {
            this.reason = reason;
        }

        abstract void serve(Path root, Closing closing) throws Exception;

        /** The kernel accepts for it, and nobody ever answers. */
        private static ServerSocketChannel listen(Path in, Closing closing) throws Exception {
            return closing.add(ServerSocketChannel.open(StandardProtocolFamily.UNIX))
                    .bind(UnixDomainSocketAddress.of(Files.createDirectories(in).resolve("kubelet.sock")));
        }

        /** Answers with what is no HTTP/2, until the caller hangs up. */
        private static void babble(ServerSocketChannel server) {
            Thread ignored = Thread.ofPlatform().daemon().start(() -> {
                try {
                    while (true) {
                        try (SocketChannel caller = server.accept()) {
                            caller.write(ByteBuffer.wrap("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(UTF_8)));
                            ByteBuffer any = ByteBuffer.allocate(1 << 16);
                            while (caller.read(any.clear()) >= 0) {}
                        }
                    }
                } catch (IOException e) {
                    return;
                }
            });
        }
    }

    private Served served() throws Exception {
        return Served.open(closing, directory, "driver = \"vfio-pci\"", KubeletOptions.DEFAULTS);
    }

    /** A pod comes, starts and goes, and its device returns to the host driver. */
    private static void comeAndGo(Served served, LogLines log, int number) throws Exception {
        comeAndGo(served.kubelet(), number, wanted -> log.with(RETURNED).size() >= wanted);
    }

    private static void comeAndGo(LocalKubelet kubelet, int number, IntPredicate hasReturned) throws Exception {
        kubelet.admit(PodSpec.of("pod-" + number, NODE0, 1));
        kubelet.startContainer("pod-" + number, "main");
        kubelet.remove("pod-" + number);
        Seen.untilSo(
                number + " releases",
                () -> hasReturned.test(number) && kubelet.pods().isEmpty());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ANOTHER_USERS")
    void checkpointAloneIsUsedAndNothingPilesUp(Instead instead) throws Exception {
        comeAndGoWith(instead);
    }

    @Test
    @NeedsRoot("acts as another user")
    void checkpointAloneIsUsedBesideSocketsOfAnotherUser() throws Exception {
        comeAndGoWith(Instead.ANOTHER_USERS);
    }

    private void comeAndGoWith(Instead instead) throws Exception {
        instead.serve(directory, closing);
        try (LogLines log = LogLines.open()) {
            Served served = served();
            comeAndGo(served, log, 1);
            int descriptors = Counts.descriptors();
            int threads = Counts.threads(directory, "");

            for (int i = 2; i <= 6; i++) {
                comeAndGo(served, log, i);
            }

            Seen.untilSo("no more than " + descriptors + " descriptors", () -> Counts.descriptors() <= descriptors);
            Seen.untilSo("no more than " + threads + " threads", () -> Counts.threads(directory, "") <= threads);
            assertThat(log.with("pods are known by their UIDs only")).hasSizeLessThanOrEqualTo(1);
            assertThat(log.with("without the kubelet's Pods API")).hasSizeLessThanOrEqualTo(1);
            if (!instead.reason.isEmpty()) {
                // pod-resources is asked for the names of pods that stay
                served.kubelet().admit(PodSpec.of("pod-7", NODE0, 1));
                Seen.untilSo(
                        "each socket is told of", () -> log.with(instead.reason).size() >= 2);
                assertThat(log.with(instead.reason)).hasSize(2);
            }
            assertThat(log.warnings()).isEmpty();
        }
    }

    /** In a process of its own, since root may use each socket, whatever its permissions, and its threads share that. */
    @Test
    void checkpointAloneIsUsedByADaemonThatMayNotUseTheSockets() throws Exception {
        for (String in : List.of("pod-resources", "pods")) {
            ServerSocketChannel ignored = Instead.listen(directory.resolve(in), closing);
            Files.setPosixFilePermissions(directory.resolve(in).resolve("kubelet.sock"), Set.of());
        }
        Path kubeletDir = directory.resolve("device-plugins");
        LocalKubelet kubelet = closing.add(LocalKubelet.open(kubeletDir, KubeletOptions.DEFAULTS, event -> {}));
        DaemonProcess daemon = closing.add(
                DaemonProcess.startUnprivileged(directory, kubeletDir, Served.classes("driver = \"vfio-pci\"")));
        kubelet.await(NODE0, state -> state.allocatable() == 1, TestDaemon.PATIENCE);
        IntPredicate hasReturned = wanted -> daemon.logged(RETURNED) >= wanted;
        comeAndGo(kubelet, 1, hasReturned);
        comeAndGo(kubelet, 2, hasReturned);
        int descriptors = daemon.count("fd");
        int threads = daemon.count("task");

        for (int i = 3; i <= 8; i++) {
            comeAndGo(kubelet, i, hasReturned);
        }

        Seen.untilSo("no more than " + descriptors + " descriptors", () -> daemon.count("fd") <= descriptors);
        // the JVM has some of its own, which come when it wants
        Seen.untilSo("no thread more for each pod than " + threads, () -> daemon.count("task") < threads + 6);
        // pod-resources is asked for the names of pods that stay
        kubelet.admit(PodSpec.of("pod-9", NODE0, 1));
        for (String reason : List.of("pods are known by their UIDs only", "the end of a pod is noticed without")) {
            String told = "cannot connect: Permission denied; " + reason;
            Seen.untilSo(told, () -> daemon.logged(told) >= 1);
            assertThat(daemon.logged(told)).isEqualTo(1);
        }
    }

    @Test
    void podIsNamedByItsUidWhereTheKubeletDoesNotTell() throws Exception {
        try (LogLines log = LogLines.open()) {
            Served served = served();
            served.kubelet().admit(PodSpec.of("pod-1", NODE0, 1));

            log.await(VF0 + ": held by pod pod-1 (main)");
            served.kubelet().remove("pod-1");

            log.await(VF0 + ": released by pod pod-1 (main)");
            assertThat(log.with("held by")).hasSize(1);
        }
    }

    @Test
    void podWhoseNameIsNotKnownAtFirstIsNamedOnceItIs() throws Exception {
        ListPodResourcesResponse pods = ListPodResourcesResponse.newBuilder()
                .addPodResources(PodResources.newBuilder()
                        .setNamespace("edge")
                        .setName("router")
                        .addContainers(ContainerResources.newBuilder()
                                .setName("main")
                                .addDevices(ContainerDevices.newBuilder()
                                        .setResourceName(NODE0.toString())
                                        .addDeviceIds(VF0.toString()))))
                .build();
        RefusingPodResources refusals = closing.add(new RefusingPodResources(directory, 1, pods));
        try (LogLines log = LogLines.open()) {
            Served served = served();
            served.kubelet().admit(PodSpec.of("pod-1", NODE0, 1));
            served.kubelet().startContainer("pod-1", "main");
            log.await(VF0 + ": held by pod pod-1 (main)");

            // asked again, because its driver is to be given back
            log.await(VF0 + ": held by edge/router (main), which was logged as pod pod-1 (main)");

            assertThat(refusals.requests().count()).isGreaterThan(1);
            assertThat(log.with("held by")).hasSize(2);
        }
    }

    @Test
    void kubeletThatRefusesForAWhileIsAskedAgainAndToldOfOnce() throws Exception {
        RefusingPodResources refusals =
                closing.add(new RefusingPodResources(directory, 3, ListPodResourcesResponse.getDefaultInstance()));
        try (LogLines log = LogLines.open()) {
            Served served = served();
            served.kubelet().admit(PodSpec.of("pod-1", NODE0, 1));
            served.kubelet().startContainer("pod-1", "main");

            refusals.requests().awaitCount(5);

            assertThat(log.with("RESOURCE_EXHAUSTED: rejected by rate limit; pods are known by their UIDs only"))
                    .hasSize(1);
            assertThat(log.with(RETURNED)).isEmpty();
        }
    }
}
