package io.edgeplug.cli.options;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.cli.Console;
import org.junit.jupiter.api.Test;

/** What a person who waits sees meanwhile. */
final class ProgressLineTest {

    private final Console printed = new Console();

    @Test
    void lineIsReplacedAndThenGone() {
        ProgressLine progress = new ProgressLine(printed.writer(), true);

        progress.show("1 s: reset");
        progress.show("2 s: \u001b[31m" + "x".repeat(100));
        progress.erase();
        progress.erase();

        assertThat(printed.text())
                .isEqualTo("\r\u001b[K1 s: reset\r\u001b[K2 s: ?[31m" + "x".repeat(69) + "\r\u001b[K");
    }

    @Test
    void nothingIsShownWhereNobodyLooks() {
        ProgressLine progress = new ProgressLine(printed.writer(), false);

        progress.show("1 s: reset");
        progress.erase();

        assertThat(printed.text()).isEmpty();
    }
}
