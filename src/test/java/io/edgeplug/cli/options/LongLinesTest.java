package io.edgeplug.cli.options;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LongLinesTest {

    @Test
    void lineThatFitsStaysAsItIs() {
        assertThat(LongLines.folded("0000:3b:01.0  vf  healthy", 25)).containsExactly("0000:3b:01.0  vf  healthy");
        assertThat(LongLines.folded("", 25)).containsExactly("");
    }

    @Test
    void longLineGoesOnBelowItsLastCell() {
        assertThat(LongLines.folded(
                        "0000:3b:01.0  vf  unhealthy: does not answer on PCI: its configuration space reads all ones",
                        40))
                .containsExactly(
                        "0000:3b:01.0  vf  unhealthy: does not",
                        "                  answer on PCI: its",
                        "                  configuration space",
                        "                  reads all ones");
        assertThat(LongLines.folded("  command    /opt/vendor/tool --wipe --verify 0000:3b:01.0", 40))
                .containsExactly("  command    /opt/vendor/tool --wipe", "             --verify 0000:3b:01.0");
    }

    @Test
    void lastCellThatBeginsFarToTheRightGoesOnNearTheLeft() {
        assertThat(LongLines.folded("0000:3b:01.0  vf  8086:1889  uio_pci_generic  healthy", 48))
                .containsExactly("0000:3b:01.0  vf  8086:1889  uio_pci_generic", "    healthy");
    }

    @Test
    void sentenceGoesOnIndented() {
        assertThat(LongLines.folded("  it is held by a pod that may have ended", 20))
                .containsExactly("  it is held by a", "      pod that may", "      have ended");
    }

    @Test
    void wordThatDoesNotFitStaysWhole() {
        assertThat(LongLines.folded("the file /dev/serial/by-id/usb-FTDI_FT232R is missing", 20))
                .containsExactly("the file /dev/serial/by-id/usb-FTDI_FT232R", "    is missing");
        assertThat(LongLines.folded("/dev/serial/by-id/usb-FTDI_FT232R", 20))
                .containsExactly("/dev/serial/by-id/usb-FTDI_FT232R");
    }

    @Test
    void lineOfATerminalThatDoesNotTellItsColumnsStaysAsItIs() {
        String line = "word ".repeat(100).strip();
        assertThat(LongLines.folded(line, Integer.MAX_VALUE)).containsExactly(line);
    }

    @Test
    void pipedLineStaysAsItIs() {
        String line = "word ".repeat(100).strip();
        assertThat(LongLines.onStdout(line)).containsExactly(line);
    }
}
