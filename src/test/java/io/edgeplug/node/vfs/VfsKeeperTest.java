package io.edgeplug.node.vfs;

import static io.edgeplug.node.vfs.SriovNode.PATIENT;
import static io.edgeplug.node.vfs.SriovNode.PF0;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.rules.WantedVfs;
import io.edgeplug.node.scan.DeviceScan;
import io.edgeplug.system.files.WholeFile;
import io.edgeplug.system.flow.Condition;
import io.edgeplug.system.flow.Front;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.AbstractList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The daemon's part: PFs that come and go. */
final class VfsKeeperTest extends OnSriovNode {

    private static final String NET = "sys/class/net/ens1";

    private volatile List<Device> devices = List.of();

    @Test
    void vfsAreMadeForEachAppearanceOfAPfAndOnlyThen() throws Exception {
        List<WantedVfs> wanted = node.wanted("count = 2");
        try (VfsKeeper keeper = VfsKeeper.start(node.vfs(), wanted, () -> devices, PATIENT)) {
            assertThat(node.node().acts()).isEmpty();

            see(keeper, scan());
            awaitCount("2");
            // it looks again once it is done
            see(keeper, scan());
            // somebody removes them by hand, and knows why
            node.node().sysfs().write(COUNT, "0");
            see(keeper, scan());
            see(keeper, List.of());
            assertThat(node.read(COUNT)).isEqualTo("0");

            // its driver is loaded anew
            see(keeper, scan());
            awaitCount("2");
        }
    }

    /** In one step, since a look may read it just then. */
    private void writeInterfaceIndex(String index) throws IOException {
        Path net = Files.createDirectories(node.node().root().resolve(NET));
        WholeFile.PUBLIC.write(net, "ifindex", index.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void pfThatWentAndCameBackUnseenIsAnotherAppearance() throws Exception {
        writeInterfaceIndex("3");
        List<WantedVfs> wanted = node.wanted("count = 2");
        try (VfsKeeper keeper = VfsKeeper.start(node.vfs(), wanted, () -> devices, PATIENT)) {
            see(keeper, scan());
            awaitCount("2");
            see(keeper, scan());
            node.node().sysfs().write(COUNT, "0");
            writeInterfaceIndex("4");

            see(keeper, scan());
            awaitCount("2");
        }
    }

    @Test
    void pfWhoseInterfaceIsBeingRenamedIsNoOtherAppearance() throws Exception {
        writeInterfaceIndex("3");
        List<WantedVfs> wanted = node.wanted("count = 2");
        try (VfsKeeper keeper = VfsKeeper.start(node.vfs(), wanted, () -> devices, PATIENT)) {
            see(keeper, scan());
            awaitCount("2");
            see(keeper, scan());
            // somebody removes them by hand, and knows why
            node.node().sysfs().write(COUNT, "0");

            Files.delete(node.node().root().resolve(NET).resolve("ifindex"));
            see(keeper, scan());
            writeInterfaceIndex("3");
            see(keeper, scan());
            // each look ends before the next one begins
            see(keeper, List.of());

            assertThat(node.read(COUNT)).isEqualTo("0");
        }
    }

    @Test
    void entriesThatChangeAreTakenUp() throws Exception {
        devices = scan();
        try (VfsKeeper keeper = VfsKeeper.start(node.vfs(), List.of(), () -> devices, PATIENT)) {
            keeper.use(kubelet(), node.wanted("count = 1"));
            awaitCount("1");
            keeper.use(kubelet(), node.wanted("count = 3"));
            awaitCount("3");
        }
    }

    @Test
    void directoriesOfTheKubeletThatChangeAreTakenUp() throws Exception {
        List<WantedVfs> one = node.wanted("count = 1");
        SriovNode.assertGood(node.apply(one, PATIENT));
        node.hold("0000:41:10.0");
        devices = scan();

        try (VfsKeeper keeper = VfsKeeper.start(node.vfs(), one, () -> devices, PATIENT)) {
            keeper.use(emptyKubelet(), node.wanted("count = 2"));
            awaitCount("2");
        }
    }

    private NodeVfs.Kubelet kubelet() {
        return new NodeVfs.Kubelet(node.kubeletDir(), node.kubeletRoot());
    }

    private NodeVfs.Kubelet emptyKubelet() {
        return new NodeVfs.Kubelet(root.resolve("kubelet/device-plugins"), root.resolve("kubelet"));
    }

    @Test
    void pfThatFailsIsTriedAgain() throws Exception {
        CountDownLatch tries = new CountDownLatch(2);
        node.interfere(COUNT, () -> {
            tries.countDown();
            if (tries.getCount() > 0) {
                throw new IOException("Input/output error");
            }
        });
        devices = scan();

        try (VfsKeeper keeper = VfsKeeper.start(node.vfs(), node.wanted("count = 2"), () -> devices, PATIENT)) {
            assertThat(tries.await(SriovNode.LONG.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            awaitCount("2");
            keeper.wake();
        }
    }

    /** The list of devices is another part's, so it is asked inside of the front. */
    @Test
    void bugEndsOneLookAndIsCounted() throws Exception {
        AtomicBoolean isBroken = new AtomicBoolean(true);
        long before = bugs();
        try (VfsKeeper keeper = VfsKeeper.start(
                node.vfs(),
                node.wanted("count = 2"),
                () -> {
                    if (isBroken.get()) {
                        throw new IllegalStateException("a bug");
                    }
                    return scan();
                },
                PATIENT)) {
            assertThat(Condition.await(() -> bugs() > before, SriovNode.LONG)).isTrue();
            isBroken.set(false);
            keeper.wake();
            awaitCount("2");
        }
    }

    private static long bugs() {
        return Front.bugs().stream()
                .filter(one -> one.front() == Front.VFS)
                .mapToLong(Front.Bugs::count)
                .sum();
    }

    private void see(VfsKeeper keeper, List<Device> now) throws InterruptedException {
        CountDownLatch looked = new CountDownLatch(1);
        devices = new AbstractList<>() {
            @Override
            public Device get(int index) {
                return now.get(index);
            }

            @Override
            public int size() {
                looked.countDown();
                return now.size();
            }
        };
        keeper.wake();
        assertThat(looked.await(SriovNode.LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    private List<Device> scan() {
        return List.copyOf(new DeviceScan(node.node().sysfs())
                .function(PciAddress.parse(PF0).orElseThrow()));
    }

    private void awaitCount(String count) throws IOException, InterruptedException {
        assertThat(Condition.await(() -> node.read(COUNT).equals(count), SriovNode.LONG))
                .isTrue();
    }
}
