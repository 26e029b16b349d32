package io.edgeplug.node.prepare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.model.rules.KeptFunctions;
import io.edgeplug.system.files.NeedsRoot;
import io.edgeplug.system.kernel.IpProgram;
import io.edgeplug.system.kernel.Links;
import io.edgeplug.system.kernel.OwnNamespaces;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What pods do to their interfaces, and what is left of that on the node. */
@ExtendWith(OwnNamespaces.class)
@Timeout(120)
@NeedsRoot("is in namespaces of its own")
final class HostileInterfacesTest extends InterfacesCase {

    @Test
    void namesThatAPodHasSwappedAreSwappedBack() throws Exception {
        int one = add(1);
        int two = add(2);
        give(interfaces(), POD, 1, 2);
        Links.rename(one, "net1");
        Links.rename(two, "ens1f0v1");
        Links.rename(one, "ens1f0v2");
        show(1, "ens1f0v2");
        show(2, "ens1f0v1");
        assertThatThrownBy(() -> interfaces().takeBack(vf(1), KeptFunctions.NONE))
                .hasMessageContaining("called ens1f0v1 again");
        assertThat(interfaces().takeBack(vf(2), KeptFunctions.NONE)).isPresent();
        show(1, Links.read(one).name());
        assertThat(interfaces().takeBack(vf(1), KeptFunctions.NONE)).isPresent();
        assertThat(Links.read(one).name()).isEqualTo("ens1f0v1");
        assertThat(Links.read(two).name()).isEqualTo("ens1f0v2");
    }

    /** The kernel takes almost any bytes for a name. */
    @Test
    void nameThatIsNoTextIsReplaced() throws Exception {
        int index = add(1);
        give(interfaces(), POD, 1);
        Path net = root.resolve("sys/bus/pci/devices/" + id(1) + "/net");
        Files.delete(net.resolve("ens1f0v1"));
        Process shell = new ProcessBuilder(
                        "sh",
                        "-c",
                        "n=$(printf '\\377'); ip link set ens1f0v1 name \"$n\" && mkdir \"$0/$n\" && echo " + index
                                + " >\"$0/$n/ifindex\"",
                        net.toString())
                .inheritIO()
                .start();
        assertThat(shell.waitFor()).isZero();
        assertThat(interfaces().takeBack(vf(1), KeptFunctions.NONE))
                .contains("its network interface is ens1f0v1 again");
        assertThat(Links.read(index).name()).isEqualTo("ens1f0v1");
    }

    @Test
    void podThatListenedToAllPacketsLeavesThatToNobody() throws Exception {
        int index = add(1);
        give(interfaces(), POD, 1);
        IpProgram.run("link set ens1f0v1 promisc on allmulticast on");
        assertThat(interfaces().takeBack(vf(1), KeptFunctions.NONE)).isPresent();
        assertThat(IpProgram.run("link show dev ens1f0v1"))
                .contains("UP")
                .doesNotContain("PROMISC")
                .doesNotContain("ALLMULTI");
        assertThat(Links.read(index).isUp()).isTrue();
    }
}
