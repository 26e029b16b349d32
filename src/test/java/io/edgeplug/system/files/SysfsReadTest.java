package io.edgeplug.system.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class SysfsReadTest {

    /** The loopback interface has no speed, and says so as an interface does that is going. */
    private static final String SPEED = "sys/class/net/lo/speed";

    @Test
    void attributeOfAnInterfaceThatIsGoingIsAbsent() throws Exception {
        Sysfs node = Sysfs.at(Path.of("/"));
        assertThat(node.exists(SPEED)).isTrue();

        assertThat(node.read(SPEED)).isEmpty();
    }
}
