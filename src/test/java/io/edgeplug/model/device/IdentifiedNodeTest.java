package io.edgeplug.model.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What tells the nodes that a pod was given from those of its device now. */
final class IdentifiedNodeTest {

    private static final IdentifiedNode VIDEO = new IdentifiedNode("/dev/video0", "81:0", "usb 046d:0825 serial A");
    private static final IdentifiedNode MEDIA = new IdentifiedNode("/dev/media0", "240:0", "usb 046d:0825 serial A");
    private static final IdentifiedNode SOUND =
            new IdentifiedNode("/dev/snd/pcmC1D0c", "116:7", "usb 046d:0825 serial A");

    @Test
    void nodeThatComesLaterToAGroupChangesNothing() {
        assertThat(IdentifiedNode.change(List.of(VIDEO, SOUND), List.of(VIDEO, MEDIA, SOUND)))
                .isEmpty();
    }

    @Test
    void nodeThatIsMissingIsNamed() {
        assertThat(IdentifiedNode.change(List.of(VIDEO, SOUND), List.of(VIDEO, MEDIA)))
                .contains("has no /dev/snd/pcmC1D0c any more, which its pod was given");
    }

    @Test
    void nodeOfAnotherDeviceIsNamedAtItsPath() {
        IdentifiedNode other = new IdentifiedNode("/dev/video0", "81:0", "usb 046d:0825 serial B");

        assertThat(IdentifiedNode.change(List.of(VIDEO, SOUND), List.of(SOUND, other)))
                .contains("is usb 046d:0825 serial B now, and its pod was given usb 046d:0825 serial A");
    }

    /** The serial number of a device that is about to hang cannot always be read. */
    @Test
    void deviceThatCannotBeReadMayBeAnotherOne() {
        IdentifiedNode unread =
                new IdentifiedNode("/dev/video0", "81:0", IdentifiedNode.unknown("read serial: Input/output error"));

        assertThat(IdentifiedNode.change(List.of(VIDEO), List.of(unread)))
                .contains("may be another device than usb 046d:0825 serial A, which its pod was given: "
                        + "read serial: Input/output error");
        assertThat(IdentifiedNode.change(List.of(unread), List.of(VIDEO))).isEmpty();
    }

    @Test
    void numbersAreForgottenWithABoot() {
        assertThat(IdentifiedNode.change(
                        List.of(MEDIA.afterBoot()), List.of(new IdentifiedNode(MEDIA.path(), "239:3", MEDIA.origin()))))
                .isEmpty();
    }
}
