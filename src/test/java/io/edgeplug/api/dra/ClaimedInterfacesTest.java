package io.edgeplug.api.dra;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.PackageJvm;
import io.edgeplug.system.files.NeedsRoot;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a claim chooses of the interface of its pod, and where that arrives. */
@Timeout(120)
@NeedsRoot("has a process in a network namespace of its own")
final class ClaimedInterfacesTest {

    @TempDir
    private Path directory = Path.of("");

    @Test
    void chosenNameAndAddressesArriveAtTheRuntimeAndInTheStatus() throws Exception {
        List<String> command = new ArrayList<>(List.of("unshare", "-n"));
        command.addAll(PackageJvm.command(List.of(), ClaimedInterfacesProcess.class, directory.toString()));
        PackageJvm.End end = PackageJvm.run(command);
        assertThat(end.output())
                .contains("{\"hostInterfaceName\":\"ens1f0v0\",\"name\":\"data5\"}", "_0000_3B_01_0=data5\"")
                .containsPattern("after the reload: .*\\{\"hostInterfaceName\":\"back7\",\"name\":\"data5\"\\}")
                .contains("inet 198.51.100.9/24", "inet6 2001:db8::9/64")
                .doesNotContain("inet 192.0.2.7")
                .contains("\"interfaceName\":\"data5\",\"hardwareAddress\":\"02:00:00:00:00:01\","
                        + "\"ips\":[\"198.51.100.9/24\",\"2001:db8::9/64\"]");
        assertThat(end.exit()).isZero();
    }
}
