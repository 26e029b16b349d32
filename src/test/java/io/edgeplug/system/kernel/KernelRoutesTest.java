package io.edgeplug.system.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.system.kernel.KernelRoutes.Hop;
import io.edgeplug.system.kernel.KernelRoutes.Route;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Routes, as the kernel says them by netlink. */
final class KernelRoutesTest {

    private static final int UNICAST = 1;
    private static final int LOCAL = 2;
    private static final int UNREACHABLE = 7;
    private static final byte[] LINK_LOCAL = {(byte) 0xfe, (byte) 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

    private final ByteBuffer attributes = ByteBuffer.allocate(1024).order(ByteOrder.nativeOrder());

    private KernelRoutesTest with(int type, byte[] value) {
        attributes.putShort((short) (4 + value.length)).putShort((short) type).put(value);
        return this;
    }

    private KernelRoutesTest with(int type, int value) {
        return with(type, numbers(value));
    }

    private static byte[] numbers(int... values) {
        ByteBuffer all = ByteBuffer.allocate(4 * values.length).order(ByteOrder.nativeOrder());
        for (int value : values) {
            all.putInt(value);
        }
        return all.array();
    }

    private ByteBuffer message(int family, int prefix, int type) {
        int length = 28 + attributes.position();
        ByteBuffer message = ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
        message.putInt(length).putShort((short) 24).position(16);
        message.put((byte) family).put((byte) prefix).position(20);
        message.put((byte) 254).put(23, (byte) type);
        message.position(28).put(attributes.array(), 0, attributes.position());
        attributes.clear();
        return message.rewind();
    }

    @Test
    void eachNextHopOfARouteIsOne() throws IOException {
        byte[] two = numbers(8, 3, 16, 4, 0, 0);
        assertThat(with(9, two).message(2, 0, UNICAST))
                .satisfies(message -> assertThat(KernelRoutes.parse(message))
                        .containsExactlyInAnyOrder(new Hop(false, 254, 0, 3), new Hop(false, 254, 0, 4)));
        assertThat(KernelRoutes.parse(with(9, two).message(10, 0, UNICAST))).hasSize(2);
    }

    @Test
    void numberOfATableMayHave32Bits() throws IOException {
        assertThat(KernelRoutes.parse(with(15, 51820).with(4, 7).message(2, 0, UNICAST)))
                .containsExactly(new Hop(false, 51820, 0, 7));
        Route route = new Route(true, -1, 0, "wg0");
        assertThat(Route.parse(route.toString())).containsExactly(route);
    }

    @Test
    void addressIsARouteToItAndNeverADefaultRoute() throws IOException {
        assertThat(KernelRoutes.parse(with(4, 7).message(2, 0, LOCAL))).containsExactly(new Hop(false, 254, 32, 7));
    }

    @Test
    void routeThatRefusesOrStaysOnItsLinkIsNone() throws IOException {
        assertThat(KernelRoutes.parse(with(4, 1).message(10, 0, UNREACHABLE))).isEmpty();
        assertThat(KernelRoutes.parse(with(1, LINK_LOCAL).with(4, 7).message(10, 64, UNICAST)))
                .isEmpty();
    }

    @Test
    void nextHopThatTheKernelDoesNotShowIsAFailure() {
        assertThatThrownBy(() -> KernelRoutes.parse(with(30, 17).message(2, 0, UNICAST)))
                .hasMessage("a route of table 254 has next hop 17, whose interfaces the kernel does not say");
    }

    @Test
    void messageThatIsCutOrDamagedIsReadAsFarAsItGoes() throws IOException {
        byte[] whole = with(15, 10)
                .with(9, numbers(8, 3, 16, 4, 0, 0))
                .message(2, 0, UNICAST)
                .array();
        Random random = new Random(1);
        for (int length = 0; length < whole.length; length++) {
            assertThat(KernelRoutes.parse(ByteBuffer.wrap(whole, 0, length).slice()))
                    .hasSizeLessThan(3);
            byte[] damaged = whole.clone();
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            assertThat(KernelRoutes.parse(ByteBuffer.wrap(damaged))).hasSizeLessThan(5);
        }
    }

    /** Routes differ by machine; the kernel must only answer. */
    @Test
    void kernelIsAsked() throws IOException {
        assertThat(KernelRoutes.read()).isNotNull();
    }
}
