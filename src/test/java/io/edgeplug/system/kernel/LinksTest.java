package io.edgeplug.system.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.system.files.NeedsRoot;
import io.edgeplug.system.kernel.Links.Link;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Settings of interfaces, which {@code ip} shows too. */
@ExtendWith(OwnNamespaces.class)
@Timeout(60)
@NeedsRoot("is in namespaces of its own")
final class LinksTest {

    private static LinkAddress address(String text) {
        return LinkAddress.parse(text).orElseThrow();
    }

    @Test
    void settingsAreReadAsIpShowsThem() throws Exception {
        int index = IpProgram.add("ens1f0v0");
        IpProgram.run("link set ens1f0v0 address 02:00:00:00:00:07 mtu 1400 up");
        IpProgram.run("link property add dev ens1f0v0 altname enp59s1 altname vf-of-the-left-port");
        IpProgram.run("address add 192.0.2.7/24 dev ens1f0v0");
        IpProgram.run("address add 2001:db8::7/64 dev ens1f0v0");
        IpProgram.run("address add 198.51.100.7/24 dev ens1f0v0 valid_lft 600 preferred_lft 600");

        assertThat(Links.read(index))
                .isEqualTo(new Link(
                        index,
                        "ens1f0v0",
                        List.of("enp59s1", "vf-of-the-left-port"),
                        "02:00:00:00:00:07",
                        1400,
                        true,
                        List.of(address("192.0.2.7/24"), address("2001:db8::7/64"))));
    }

    @Test
    void settingsAreMadeAsTheyAreRead() throws Exception {
        int index = IpProgram.add("ens1f0v0");
        IpProgram.run("link property add dev ens1f0v0 altname vf-of-the-left-port");
        Links.keepAltNames(index, List.of());
        assertThat(Links.read(index).altNames()).isEmpty();
        Links.rename(index, "net1");
        Links.setMac(index, "02:00:00:00:00:09");
        Links.setMtu(index, 9000);
        Links.add(index, address("192.0.2.7/24"), true);
        Links.add(index, address("2001:db8::7/64"), true);
        Links.setUp(index, true);
        assertThat(Links.read(index).toString()).contains("net1", "02:00:00:00:00:09", "9000", "192.0.2.7/24");
        assertThat(Links.read(index).isUp()).isTrue();
        assertThat(IpProgram.run("route show dev net1")).contains("192.0.2.0/24");

        Links.remove(index, address("192.0.2.7/24"));
        Links.setUp(index, false);
        assertThat(Links.read(index).isUp()).isFalse();
        assertThat(IpProgram.run("address show dev net1")).doesNotContain("192.0.2.7");
    }

    /** The kernel takes any bytes. */
    @Test
    void alternativeNamesThatAreNoTextAreRemovedToo() throws Exception {
        int index = IpProgram.add("ens1f0v0");
        IpProgram.run("link property add dev ens1f0v0 altname enp59s1 altname evil");
        byte[] inner = Netlink.attribute(53, new byte[] {(byte) 0xff, (byte) 0xfe, 0});
        byte[] list = Netlink.attribute(52 | 0x8000, inner);
        ByteBuffer body = ByteBuffer.allocate(16 + list.length).order(ByteOrder.nativeOrder());
        Netlink.change(
                (short) 108, (short) 0, body.putInt(4, index).put(16, list).array());
        assertThat(Links.read(index).altNames()).hasSize(3);
        Links.keepAltNames(index, List.of("enp59s1"));
        assertThat(Links.read(index).altNames()).containsExactly("enp59s1");
    }

    @Test
    void addressWithoutRouteLeadsNoPacketsOfTheNodeToTheInterface() throws Exception {
        int index = IpProgram.add("ens1f0v0");
        Links.setUp(index, true);
        Links.add(index, address("192.0.2.7/24"), false);
        Links.add(index, address("2001:db8::7/64"), false);
        assertThat(IpProgram.run("route show dev ens1f0v0")).isEmpty();
        assertThat(IpProgram.run("-6 route show dev ens1f0v0")).doesNotContain("2001:db8::/64");
        assertThat(Links.read(index).addresses()).hasSize(2);
    }

    @Test
    void kernelSaysWhyItRefuses() throws Exception {
        int index = IpProgram.add("ens1f0v0");
        int other = IpProgram.add("ens1f0v1");
        assertThatThrownBy(() -> Links.rename(other, "ens1f0v0")).hasMessage("File exists");
        assertThatThrownBy(() -> Links.setMtu(index, 12)).hasMessage("Invalid argument");
        Links.add(index, address("192.0.2.7/24"), false);
        assertThatThrownBy(() -> Links.add(index, address("192.0.2.7/24"), false))
                .hasMessage("File exists");
        assertThatThrownBy(() -> Links.read(4711)).hasMessage("No such device");
        assertThatThrownBy(() -> Links.rename(index, "a-name-of-sixteen")).hasMessageContaining("15 bytes");
    }
}
