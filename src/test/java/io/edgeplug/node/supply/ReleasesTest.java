package io.edgeplug.node.supply;

import static io.edgeplug.node.supply.SupplyNode.A;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.api.kubelet.LogLines;
import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Event;
import io.edgeplug.model.custody.Work;
import io.edgeplug.model.device.Device;
import io.edgeplug.node.prepare.UseNotes;
import io.edgeplug.system.flow.Deadline;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Scrubs that have nothing to do, and functions on their way to their host driver. */
final class ReleasesTest {

    private static final Duration SOON = Duration.ofMillis(50);

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    /** A person has scrubbed the device while this scrub waited for its locks. */
    @Test
    void scrubThatFindsNoNoteAnyMoreIsNoWorkForEver() throws Exception {
        GroupedNode node = GroupedNode.follow(
                closing,
                GroupedNode.unpack(closing, directory),
                directory,
                SupplyNode.CLASSES + "[class.release]\nreset = \"flr\"\n");
        Custodian custodian = node.monitor().custodian();
        Releases releases = node.preparations().releases;
        Uses uses = node.preparations().uses;
        uses.use(directory, node.classes());
        Device device = node.monitor().current().devices().stream()
                .filter(one -> one.id().equals(A))
                .findFirst()
                .orElseThrow();
        UseNotes notes = new UseNotes(node.node().sysfs());
        notes.note(device, "example.com/dpu", Set.of("pod"), directory);
        uses.readAgain();
        uses.tell(A, resource -> OptionalInt.empty(), List.of());

        notes.forget(A);
        assertThat(releases.follow(true, SOON)).isEqualTo(SOON);
        assertThat(custodian.of(A).work().map(Work::kind)).contains(Work.Kind.SCRUB);
        uses.tell(A, resource -> OptionalInt.empty(), List.of());
        assertThat(custodian.of(A).traces()).isEmpty();

        Deadline patience = Deadline.in(Duration.ofSeconds(10));
        while (!custodian.of(A).isFree() && !patience.isOver()) {
            assertThat(releases.follow(true, SOON)).isEqualTo(SOON);
            boolean unusedNews = custodian.await(() -> custodian.of(A).isFree(), Deadline.in(SOON));
        }
        assertThat(custodian.of(A).work()).isEmpty();
    }

    /** The kernel unbinds a driver only when no process has the device open. Meanwhile nobody looks at the device. */
    @Test
    void functionThatHangsOnItsWayIsReportedOnce() throws Exception {
        SupplyNode node = new SupplyNode(closing, directory);
        Path notes = Files.createDirectories(node.node.root().resolve("run/edgeplug/rebound"));
        Files.writeString(notes.resolve(A), "bound=other\nkubelet_dir=" + directory.toAbsolutePath() + "\n");
        Custodian custodian = node.monitor.custodian();
        custodian.tell(A, new Event.Begun(Work.Kind.RETURN, "", Instant.now().minusSeconds(60)));

        try (LogLines log = LogLines.open()) {
            for (int turn = 0; turn < 3; turn++) {
                boolean unusedWait = node.preparations.releases.returnDrivers(directory);
            }
            assertThat(log.with(A + ": " + Releases.LATE)).hasSize(1);
        }
        assertThat(custodian.of(A).problem()).contains(Releases.LATE);
    }
}
