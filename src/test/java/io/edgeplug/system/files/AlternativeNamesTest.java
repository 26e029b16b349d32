package io.edgeplug.system.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Alternative names of interfaces, as the kernel says them by netlink. */
final class AlternativeNamesTest {

    private static final short NESTED = (short) 0x8000;

    private static ByteBuffer attribute(int type, byte[] value) {
        int length = 4 + value.length;
        ByteBuffer attribute = ByteBuffer.allocate((length + 3) & ~3).order(ByteOrder.nativeOrder());
        return attribute
                .putShort((short) length)
                .putShort((short) type)
                .put(value)
                .rewind();
    }

    private static byte[] answer(byte[] attributes) {
        return ByteBuffer.allocate(32 + attributes.length)
                .order(ByteOrder.nativeOrder())
                .putInt(32 + attributes.length)
                .putShort((short) 16)
                .position(32)
                .put(attributes)
                .array();
    }

    private static byte[] names(String... names) {
        ByteBuffer all = ByteBuffer.allocate(1024);
        for (String name : names) {
            all.put(attribute(53, (name + "\0").getBytes(StandardCharsets.UTF_8)));
        }
        byte[] list = new byte[all.position()];
        all.flip().get(list);
        return attribute(52 | NESTED, list).array();
    }

    @Test
    void allNamesOfAnAnswerAreRead() {
        assertThat(AlternativeNames.parse(ByteBuffer.wrap(answer(names("enp59s0f0np0", "enx0123456789ab")))))
                .containsExactly("enp59s0f0np0", "enx0123456789ab");
    }

    @Test
    void nameEndsAtItsZero() {
        assertThat(AlternativeNames.parse(ByteBuffer.wrap(answer(names("storage\0old", "\0empty")))))
                .containsExactly("storage");
    }

    @Test
    void answerThatIsCutOrDamagedIsReadAsFarAsItGoes() {
        byte[] whole = answer(names("enp59s0f0np0", "storage"));
        Random random = new Random(1);
        for (int length = 0; length < whole.length; length++) {
            assertThat(AlternativeNames.parse(ByteBuffer.wrap(whole, 0, length).slice()))
                    .hasSizeLessThan(2);
            byte[] damaged = whole.clone();
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            assertThat(AlternativeNames.parse(ByteBuffer.wrap(damaged))).hasSizeLessThan(17);
        }
    }

    /** Names and loopback differ by machine; the kernel must only answer. */
    @Test
    void kernelIsAsked() throws Exception {
        assertThat(new AlternativeNames(Sysfs.at(Path.of("/"))).of("lo")).isNotNull();
        assertThat(new AlternativeNames(Sysfs.at(Path.of("/"))).of("missing0")).isEmpty();
    }
}
