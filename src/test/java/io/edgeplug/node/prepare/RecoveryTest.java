package io.edgeplug.node.prepare;

import static io.edgeplug.node.prepare.PreparedNode.VF0;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.flow.LosableThreads;
import io.edgeplug.system.programs.Supervisor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is left of a process that was killed; what it leaves of a function beside a kubelet, KilledDaemonTest has. */
@Timeout(60)
final class RecoveryTest {

    private static final PciAddress ADDRESS = new PciAddress(0, 0x3b, 1, 0);
    private static final String COPY = "edgeplug-0b0d3c5e-8c8f-4c59-9e3a-6d1f6c1f2a77.bin";

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private PreparedNode prepared;

    @BeforeEach
    void open() throws IOException {
        prepared = PreparedNode.open(directory);
    }

    /** Else only root could start a daemon, even one that is tried out with files. */
    @Test
    void nodeOnWhichNothingWasBegunIsNotWrittenTo() throws Exception {
        prepared.preparer.recover();

        assertThat(prepared.node.root().resolve("run")).doesNotExist();
    }

    @Test
    void imagesOfAKilledProcessAreTakenAway() throws Exception {
        Files.createDirectories(prepared.node.root().resolve("lib/firmware"));
        Path staged = Files.createFile(prepared.node.root().resolve("lib/firmware/" + COPY));
        Path others = Files.createFile(prepared.node.root().resolve("lib/firmware/edgeplug-region.bin"));

        prepared.preparer.recover();

        assertThat(staged).doesNotExist();
        assertThat(others).exists();
    }

    /** As where Ctrl-C ends a reset that took too long to wait for. */
    private Path leaveNote(String driver) throws IOException {
        Path note = prepared.node.root().resolve("run/edgeplug/prepare").resolve(VF0);
        Files.createDirectories(note.getParent());
        return Files.writeString(note, "driver=" + driver + "\n");
    }

    @Test
    void whatCannotBePutBackIsToldOnceWithItsNoteAndTriedAgain() throws Exception {
        prepared.node.sysfs().write("sys/bus/pci/devices/" + VF0 + "/driver/unbind", VF0);
        prepared.node.interfere("sys/bus/pci/drivers/iavf/bind", () -> {
            throw new IOException("Cannot allocate memory");
        });
        Path note = leaveNote("iavf");

        prepared.preparer.recover();
        prepared.preparer.recover();

        assertThat(prepared.events)
                .containsExactly(new PrepareEvent.Recovered(
                        VF0,
                        "cannot be restored to its state before a killed preparation, which is noted in "
                                + "/run/edgeplug/prepare/" + VF0 + ": write bind: Cannot allocate memory"));
        assertThat(prepared.device(VF0).health().problem())
                .contains("was left half changed and cannot be restored: write bind: Cannot allocate memory");
        prepared.node.interfere("sys/bus/pci/drivers/iavf/bind", () -> {});
        prepared.preparer.recover();
        assertThat(note).doesNotExist();
        assertThat(prepared.driver(VF0)).isEqualTo("iavf");
    }

    /** Else the function would lose its driver. */
    @ParameterizedTest
    @ValueSource(strings = {"", "garbage", "restore=iavf\n"})
    void noteThatSaysNothingOfAFunctionChangesNothing(String text) throws Exception {
        Path note = leaveNote("iavf");
        Files.writeString(note, text);

        prepared.preparer.recover();

        assertThat(prepared.driver(VF0)).isEqualTo("iavf");
        assertThat(prepared.events)
                .containsExactly(new PrepareEvent.Recovered(
                        VF0,
                        "cannot be restored to its state before a killed preparation, which is noted in "
                                + "/run/edgeplug/prepare/" + VF0 + ": the note does not say what that was; make the"
                                + " function as you want it, and delete the note"));
        assertThat(note).exists();
    }

    /** The kernel may block each of these threads. Who has one lock for all of the node makes them wait. */
    @Test
    void manyNotesHaveFewThreadsAtATime() throws Exception {
        Path first = leaveNote("iavf");
        for (int i = 1; i < 1000; i++) {
            Files.createFile(first.resolveSibling("%04x:00:00.0".formatted(i)));
        }
        Sysfs sysfs = prepared.node.sysfs();
        ChangeNotes notes = new ChangeNotes(sysfs);
        RunningCommands commands = new RunningCommands(sysfs, prepared.events::add);
        Exclusion exclusion = new Exclusion(sysfs, commands);
        Programs programs = new Programs(sysfs, exclusion, commands, Supervisor.of(sysfs), prepared.events::add);
        Steps steps = new Steps(
                sysfs,
                notes,
                new HostDrivers(sysfs, directory, prepared.events::add),
                programs,
                new FpgaSteps(sysfs, notes, programs, Bitstream.roomForAll()),
                new Interfaces(sysfs));
        Recovery recovery = new Recovery(sysfs, notes, exclusion, steps, prepared.events::add);
        List<Thread> threads;
        try (Exclusion.Locks held = exclusion.tryAll().orElseThrow()) {
            threads = recovery.start();
            assertThat(threads).hasSizeBetween(1, 64);
        }
        LosableThreads.join(threads, Duration.ofSeconds(20));
        while (prepared.events.size() < 1000) {
            threads = recovery.start();
            assertThat(threads).isNotEmpty();
            LosableThreads.join(threads, Duration.ofSeconds(20));
        }
        assertThat(notes.functions()).as("what could be restored").hasSize(999);
    }

    @Test
    void noteOfAFunctionThatIsGoneIsDropped() throws Exception {
        Path note = leaveNote("iavf");
        prepared.node.pull(ADDRESS);

        prepared.preparer.recover();

        assertThat(note).doesNotExist();
        assertThat(prepared.events)
                .containsExactly(
                        new PrepareEvent.Recovered(VF0, "is gone, so nothing is left of a killed preparation"));
    }

    @Test
    void imageThatCannotBeTakenAwayIsTold() throws Exception {
        Path staged = prepared.node.root().resolve("lib/firmware").resolve(COPY);
        // which root cannot delete either
        Files.createDirectories(staged.resolve("full"));

        prepared.preparer.recover();

        assertThat(prepared.events)
                .containsExactly(new PrepareEvent.Recovered(
                        staged.toRealPath().toString(),
                        "is left from a killed preparation, and cannot be deleted: Directory not empty"));
    }
}
