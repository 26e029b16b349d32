package io.edgeplug.node.prepare;

import static io.edgeplug.node.prepare.PreparedNode.DEVICES;
import static io.edgeplug.node.prepare.PreparedNode.PATIENCE;
import static io.edgeplug.node.prepare.PreparedNode.VF0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.model.rules.Recipe;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Devices that are not for whoever asked any more, once his preparation has waited for another. */
@Timeout(60)
final class PreconditionTest {

    private static final Preparer.Precondition LOST = () -> {
        throw new IOException("is not for claim default/mine any more");
    };

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private PreparedNode prepared;

    private Path fifo = Path.of("");
    private Path ran = Path.of("");

    /** The kernel stands still in a reset of the device, until it is let go. */
    @BeforeEach
    void open() throws Exception {
        prepared = PreparedNode.open(directory);
        ran = directory.resolve("ran");
        fifo = prepared.hang(DEVICES + VF0 + "/reset");
        Preparation ignored = prepared.preparer.prepare(prepared.device(VF0), prepared.recipe("vf", "reset = \"flr\""));
        long late = System.nanoTime() + PATIENCE.toNanos();
        while (begun() == 0) {
            assertThat(System.nanoTime()).isLessThan(late);
            Thread.onSpinWait();
        }
    }

    private Recipe touching() throws Exception {
        return touching(ran);
    }

    private Recipe touching(Path file) throws Exception {
        return prepared.recipe("vf", "command = [\"/bin/touch\", \"" + file + "\"]");
    }

    private long begun() {
        return prepared.events.stream()
                .filter(event -> event instanceof PrepareEvent.Begun)
                .count();
    }

    @Test
    void deviceThatIsLostMeanwhileIsLeftAloneAndTheNextWhoAsksIsNotToldSo() throws Exception {
        Preparation lost = prepared.preparer.prepare(prepared.device(VF0), touching(), Set.of(), LOST);
        PreparedNode.read(fifo);

        assertThatThrownBy(() -> lost.await(PATIENCE))
                .hasMessage("Device " + VF0 + " could not be prepared: it is not for claim default/mine any more.");
        assertThat(ran).doesNotExist();
        assertThat(begun()).isEqualTo(1);
        assertThat(prepared.preparer.prepare(prepared.device(VF0), touching()).await(PATIENCE))
                .isTrue();
        assertThat(ran).exists();
    }

    @Test
    void ofTwoWhoWaitTheLastWhoAskedGetsTheDeviceAsHeWantsIt() throws Exception {
        Preparation earlier = prepared.preparer.prepare(prepared.device(VF0), touching());
        Path ranLast = directory.resolve("ran-last");
        Preparation last = prepared.preparer.prepare(prepared.device(VF0), touching(ranLast));
        PreparedNode.read(fifo);

        assertThat(last.await(PATIENCE)).isTrue();
        assertThat(ranLast).exists();
        assertThatThrownBy(() -> earlier.await(PATIENCE))
                .hasMessage("Device " + VF0
                        + " could not be prepared: it was asked for with other steps meanwhile, so it is left alone.");
        assertThat(ran).doesNotExist();
    }

    @Test
    void whoeverJoinsAPreparationDoesNotLoseItWithTheOneWhoAskedFirst() throws Exception {
        Preparation first = prepared.preparer.prepare(prepared.device(VF0), touching(), Set.of(), LOST);
        Preparation joined = prepared.preparer.prepare(prepared.device(VF0), touching());
        assertThat(joined).isSameAs(first);
        PreparedNode.read(fifo);

        assertThat(joined.await(PATIENCE)).isTrue();
        assertThat(ran).exists();
    }

    /** The caller who has the device now may ask again. */
    @Test
    void scrubThatIsRefusedForAnotherCallerSaysSo() throws Exception {
        PreparedNode.read(fifo);
        UseNotes used = new UseNotes(prepared.node.sysfs());
        used.note(prepared.device(VF0), "example.com/vf", Set.of("pod"), directory);
        Preparation refused = prepared.preparer.scrub(prepared.device(VF0), touching(), LOST);

        assertThatThrownBy(() -> refused.await(PATIENCE)).hasMessageContaining("is not for claim default/mine");
        assertThat(ran).doesNotExist();
    }
}
