package io.edgeplug.api.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.status.NodeStatus.DeviceStatus;
import io.edgeplug.api.status.NodeStatus.ResourceStatus;
import io.edgeplug.model.custody.User;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.proto.status.Node;
import io.edgeplug.system.flow.Outcomes;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What people get of a status. */
final class StatusMessageTest {

    private static final int LONGEST = 4096;

    /** Sixteen answers may wait to be read, and each watcher has another one. */
    @Test
    void longNamesOfPodsDoNotMakeTheMessageLong() {
        ResourceName name = ResourceName.parse("example.com/gopher");
        String longName = "p".repeat(LONGEST);
        DeviceStatus held = new DeviceStatus(
                new PathDevice(
                        "g1",
                        List.of(new PathDevice.File("/etc/g1", Optional.empty())),
                        Optional.empty(),
                        Health.HEALTHY),
                List.of(new User.Pod("uid", Optional.of(longName), Optional.of(longName), longName)),
                1,
                false,
                true,
                false);
        NodeStatus status = StatusOfOne.resource(
                new ResourceStatus(name, true, 1, Collections.nCopies(200, held), new Outcomes.Counts(0, 0)));
        try (DaemonHistory history = new DaemonHistory("edgeplug 1", Instant.EPOCH)) {
            Node message = StatusMessage.of(status, new ProblemTimes(), history);

            assertThat(message.getSerializedSize()).isLessThan(70_000);
            assertThat(message.getHeldCount()).isPositive();
            assertThat(message.getHeldCount() + message.getHeldMore()).isEqualTo(200);
        }
    }
}
