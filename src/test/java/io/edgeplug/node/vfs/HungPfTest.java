package io.edgeplug.node.vfs;

import static io.edgeplug.node.vfs.SriovNode.FUNCTIONS;
import static io.edgeplug.node.vfs.SriovNode.LONG;
import static io.edgeplug.node.vfs.SriovNode.PF0;
import static io.edgeplug.node.vfs.SriovNode.PF1;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.rules.WantedVfs;
import io.edgeplug.system.flow.Condition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A PF of which the kernel keeps whoever reads it: here a FIFO is in an attribute's place, which nobody writes to. */
@Timeout(300)
final class HungPfTest extends OnSriovNode {

    private static final String HANGS = "cannot be read: a look at it hangs in the kernel, whose log may say why";

    /** For the one that hangs; all others answer long before. */
    private static final Duration SOON = Duration.ofSeconds(3);

    private List<WantedVfs> both = List.of();
    private Path fifo = Path.of("");

    @BeforeEach
    void block() throws Exception {
        both = node.entries("[[vfs]]\ncount = 2\nmatch = { vendors = [\"8086\"] }\n");
        fifo = node.node().root().resolve(AUTOPROBE);
        Files.delete(fifo);
        assertThat(new ProcessBuilder("mkfifo", fifo.toString())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
    }

    /** Whoever hangs goes on. */
    @AfterEach
    void letGo() throws IOException {
        Files.newOutputStream(fifo).close();
    }

    @Test
    void vfsOfAllOthersAreMadeAndTheHungPfIsNamed() throws Exception {
        VfsDeadlines deadlines = new VfsDeadlines(Duration.ZERO, SOON, LONG, LONG, LONG, LONG, LONG);

        List<VfsApply.Outcome> outcomes = new VfsApply(node.vfs(), deadlines, event -> {}).apply(both, pf -> true);

        assertThat(outcomes)
                .extracting(outcome -> outcome.plan().pf().address() + " " + outcome.text())
                .containsExactly(PF0 + " " + HANGS, PF1 + " ");
        assertThat(outcomes).extracting(VfsApply.Outcome::isGood).containsExactly(false, true);
        assertThat(node.read(FUNCTIONS + PF1 + "/sriov_numvfs")).isEqualTo("2");
    }

    @Test
    void pfThatAnswersAgainIsPlannedAgain() throws Exception {
        NodeVfs vfs = node.vfs(SOON);
        assertThat(vfs.plan(both).getFirst().isRead()).isFalse();

        Files.newOutputStream(fifo).close();
        Path sound = Files.writeString(root.resolve("sound"), "1");
        Files.move(sound, fifo, StandardCopyOption.ATOMIC_MOVE);

        assertThat(Condition.await(() -> isRead(vfs), LONG)).isTrue();
    }

    /** As after a reload: a second thread would be lost in the kernel too. */
    @Test
    void pfThatHangsIsStillKnownWhenTheKubeletHasOtherDirectories() throws Exception {
        NodeVfs vfs = node.vfs(SOON);
        assertThat(vfs.plan(both).getFirst().isRead()).isFalse();
        long before = looks();

        assertThat(vfs.with(null).plan(both).getFirst().isRead()).isFalse();
        assertThat(looks()).isEqualTo(before);
    }

    private static long looks() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("vfs look at " + PF0))
                .count();
    }

    private boolean isRead(NodeVfs vfs) throws IOException {
        try {
            return vfs.plan(both).getFirst().isRead();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
