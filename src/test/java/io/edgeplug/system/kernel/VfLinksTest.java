package io.edgeplug.system.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What the kernel tells of VFs: of this machine, and as a driver with VFs tells it. */
final class VfLinksTest {

    @Test
    void interfaceWithoutVfsHasNone() throws IOException {
        assertThat(VfLinks.read("lo")).isEmpty();
    }

    @Test
    void interfaceThatIsNotThereIsSaidSo() {
        assertThatIOException().isThrownBy(() -> VfLinks.read("no-such-link")).withMessage("No such device");
        assertThatIOException().isThrownBy(() -> VfLinks.read("x".repeat(16)));
    }

    @Test
    void countersOfEachVfAreRead() {
        assertThat(VfLinks.parse(answer()))
                .isEqualTo(Map.of(
                        0, new VfLinks.Counts(1, 2, 3, 4, 5, 6),
                        7, new VfLinks.Counts(11, 12, 13, 14, 15, 16)));
    }

    @Test
    void answerThatIsCutOrWrongIsReadAsFarAsItMakesSense() {
        byte[] whole = answer().array();
        Random random = new Random(1);
        for (int length = 0; length < whole.length; length++) {
            byte[] bytes = whole.clone();
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            assertThat(VfLinks.parse(ByteBuffer.wrap(bytes, 0, length).slice()).size())
                    .isLessThanOrEqualTo(2);
        }
    }

    private static ByteBuffer answer() {
        byte[] vfs = joined(vf(0, 0), vf(7, 10));
        // an attribute that nobody asked for before it, of an odd length
        byte[] attributes = joined(attribute(3, new byte[] {'e', 't', 'h', '0', 0}), attribute(0x8000 | 22, vfs));
        ByteBuffer message = ByteBuffer.allocate(32 + attributes.length).order(ByteOrder.nativeOrder());
        message.putInt(32 + attributes.length).putShort((short) 16);
        message.position(32);
        return message.put(attributes).flip();
    }

    private static byte[] vf(int number, long more) {
        byte[] mac = ByteBuffer.allocate(36)
                .order(ByteOrder.nativeOrder())
                .putInt(number)
                .array();
        byte[] stats = joined(
                count(0, more + 1),
                count(1, more + 2),
                count(2, more + 3),
                count(3, more + 4),
                count(4, 99),
                count(7, more + 5),
                count(8, more + 6));
        return attribute(1, joined(attribute(1, mac), attribute(8, stats)));
    }

    private static byte[] count(int type, long value) {
        return attribute(
                type,
                ByteBuffer.allocate(8)
                        .order(ByteOrder.nativeOrder())
                        .putLong(value)
                        .array());
    }

    private static byte[] attribute(int type, byte[] value) {
        int length = 4 + value.length;
        return ByteBuffer.allocate((length + 3) & ~3)
                .order(ByteOrder.nativeOrder())
                .putShort((short) length)
                .putShort((short) type)
                .put(value)
                .array();
    }

    private static byte[] joined(byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        ByteBuffer all = ByteBuffer.allocate(length);
        for (byte[] part : parts) {
            all.put(part);
        }
        return all.array();
    }
}
