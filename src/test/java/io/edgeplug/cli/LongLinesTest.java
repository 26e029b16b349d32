package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

final class LongLinesTest {

    private static List<String> folded(String line, int columns) {
        return LongLines.folded(line, OptionalInt.of(columns));
    }

    @Test
    void lineThatFitsStaysAsItIs() {
        assertThat(folded("0000:3b:01.0  vf  healthy", 25)).containsExactly("0000:3b:01.0  vf  healthy");
        assertThat(folded("", 25)).containsExactly("");
    }

    @Test
    void longLineGoesOnBelowItsLastCell() {
        assertThat(folded(
                        "0000:3b:01.0  vf  unhealthy: does not answer on PCI: its configuration space reads all ones",
                        40))
                .containsExactly(
                        "0000:3b:01.0  vf  unhealthy: does not",
                        "                  answer on PCI: its",
                        "                  configuration space",
                        "                  reads all ones");
        assertThat(folded("  command    /opt/vendor/tool --wipe --verify 0000:3b:01.0", 40))
                .containsExactly("  command    /opt/vendor/tool --wipe", "             --verify 0000:3b:01.0");
    }

    @Test
    void lastCellThatBeginsFarToTheRightGoesOnNearTheLeft() {
        assertThat(folded("0000:3b:01.0  vf  8086:1889  uio_pci_generic  healthy", 48))
                .containsExactly("0000:3b:01.0  vf  8086:1889  uio_pci_generic", "    healthy");
    }

    @Test
    void sentenceGoesOnIndented() {
        assertThat(folded("  it is held by a pod that may have ended", 20))
                .containsExactly("  it is held by a", "      pod that may", "      have ended");
    }

    @Test
    void wordThatDoesNotFitStaysWhole() {
        assertThat(folded("the file /dev/serial/by-id/usb-FTDI_FT232R is missing", 20))
                .containsExactly("the file /dev/serial/by-id/usb-FTDI_FT232R", "    is missing");
        assertThat(folded("/dev/serial/by-id/usb-FTDI_FT232R", 20))
                .containsExactly("/dev/serial/by-id/usb-FTDI_FT232R");
    }

    @Test
    void lineOfATerminalThatDoesNotTellItsColumnsStaysAsItIs() {
        String line = "word ".repeat(100).strip();
        assertThat(LongLines.folded(line, OptionalInt.empty())).containsExactly(line);
    }

    @Test
    void pipedLineStaysAsItIs() {
        String line = "word ".repeat(100).strip();
        assertThat(LongLines.onStdout(line)).containsExactly(line);
    }
}
