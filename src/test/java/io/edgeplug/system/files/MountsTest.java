package io.edgeplug.system.files;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.system.kernel.OwnNamespaces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What is told of mounts, by those of the test's own namespace. */
@ExtendWith(OwnNamespaces.class)
@Timeout(60)
@NeedsRoot("is in namespaces of its own")
final class MountsTest {

    @TempDir
    private Path root = Path.of("");

    private static void run(String... command) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }

    @Test
    void whatWasMountedBeforeAndIsNotAnyMoreIsToldAtFirst() throws Exception {
        Path directory = root.toRealPath();
        Path point = Files.createDirectory(directory.resolve("a disk"));
        run("mount", "-t", "tmpfs", "edgeplug-test", point.toString());
        Mounts mounts = Mounts.open();
        try {
            run("umount", point.toString());

            assertThat(mounts.changed(Set.of(directory))).containsExactly(point);
        } finally {
            mounts.close();
        }
    }
}
