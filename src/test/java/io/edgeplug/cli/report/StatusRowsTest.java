package io.edgeplug.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.proto.status.Event;
import io.edgeplug.proto.status.Node;
import org.junit.jupiter.api.Test;

/** What rows of a status say beside their counts and events. */
final class StatusRowsTest {

    @Test
    void heldDeviceThatIsUnhealthyIsSaidToBeBoth() {
        Node node = StatusTest.NODE.toBuilder()
                .setResources(0, StatusTest.NODE.getResources(0).toBuilder().setHeldUnhealthy(1))
                .setHeld(0, StatusTest.NODE.getHeld(0).toBuilder().setUnhealthy(true))
                .clearEvents()
                .build();

        assertThat(StatusText.lines(node))
                .contains("example.com/vf   4      1     2     0          1          registered  also held: 1")
                .contains("0000:3b:01.0  example.com/vf  default/dpdk/main (unhealthy)")
                .contains("0000:3b:01.1  example.com/vf  container main of pod 77c0");
    }

    @Test
    void eventsWithoutAWarningNeedNoExplanation() {
        Node node = StatusTest.NODE.toBuilder()
                .setEvents(0, Event.newBuilder().setText("ready"))
                .build();

        assertThat(StatusText.lines(node)).anyMatch(line -> line.strip().equals("LAST EVENTS"));
    }
}
