package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.GOPHER;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class FileBurstTest {

    private static final int FILES = 1000;

    @TempDir
    private Path directory = Path.of("");

    @Test
    void thousandFilesThatComeAndGoAreAFewMessages() throws Exception {
        AtomicInteger lists = new AtomicInteger();
        Path kubeletDir = directory.resolve("device-plugins");
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, event -> {
                    if (event instanceof KubeletEvent.DeviceList list
                            && list.resource().equals(GOPHER)) {
                        lists.incrementAndGet();
                    }
                });
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            kubelet.await(states -> TestDaemon.allHave(2, 3, states), PATIENCE);
            Path gophers = daemon.node.root().resolve("etc/gophers");
            lists.set(0);

            for (int i = 0; i < FILES; i++) {
                Files.createFile(gophers.resolve("burst" + i));
            }
            kubelet.await(GOPHER, state -> state.allocatable() == FILES + 2, PATIENCE);
            assertThat(lists.getAndSet(0)).isLessThan(10);

            for (int i = 0; i < FILES; i++) {
                Files.delete(gophers.resolve("burst" + i));
            }
            kubelet.await(GOPHER, state -> state.capacity() == 2, PATIENCE);
            assertThat(lists.get()).isLessThan(20);
        }
    }
}
