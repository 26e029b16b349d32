package io.edgeplug.node.prepare;

import static io.edgeplug.node.prepare.PreparedNode.PATIENCE;
import static io.edgeplug.node.prepare.PreparedNode.VF0;
import static io.edgeplug.node.prepare.PreparedNode.VF1;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Functions that cannot return to their host driver, or whose notes of it are of no use. */
@Timeout(60)
final class LostHostDriverTest {

    private static final String UNDELETED = "/run/edgeplug/rebound/" + VF0 + " cannot be deleted: Directory not empty";

    @TempDir
    private Path directory = Path.of("");

    private final BlockingQueue<PrepareEvent> events = new LinkedBlockingQueue<>();
    private PreparedNode prepared;
    private Preparer preparer;

    @BeforeEach
    void open() throws Exception {
        prepared = PreparedNode.open(directory);
        prepared.prepare(VF0, "driver = \"vfio-pci\"");
        preparer = new Preparer(prepared.node.sysfs(), directory, events::add);
    }

    @AfterEach
    void close() {
        preparer.close();
        prepared.close();
    }

    private Path note(String function) {
        return prepared.node.root().resolve("run/edgeplug/rebound").resolve(function);
    }

    /** A note that can be neither read nor deleted. */
    private void damage(String function) throws IOException {
        Files.delete(note(function));
        Files.createDirectories(note(function).resolve("in the way"));
    }

    /** Tries it, and returns the text of its end. */
    private Optional<String> giveBackDriver() throws Exception {
        preparer.giveBackDriver((PciDevice) prepared.device(VF0), () -> {});
        return await(PrepareEvent.DriverGivenBack.class).text();
    }

    private <E extends PrepareEvent> E await(Class<E> type) throws InterruptedException {
        Optional<PrepareEvent> next;
        do {
            next = Optional.ofNullable(events.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS));
            assertThat(next).as("a " + type.getSimpleName()).isPresent();
        } while (!type.isInstance(next.orElseThrow()));
        return type.cast(next.orElseThrow());
    }

    @Test
    void returnThatBeginsAlsoEnds() throws Exception {
        prepared.node.interfere("sys/bus/pci/drivers/iavf/bind", () -> {
            damage(VF0);
            throw new IOException("Cannot allocate memory");
        });

        assertThat(giveBackDriver().orElseThrow())
                .startsWith("cannot return to its host driver: ")
                .contains("Cannot allocate memory; " + UNDELETED);

        assertThat(preparer.rebound(directory)).as("is not tried again").isEmpty();
    }

    @Test
    void functionThatHasReturnedSaysSoThoughItsNoteStays() throws Exception {
        prepared.node.interfere("sys/bus/pci/drivers/iavf/bind", () -> damage(VF0));

        assertThat(giveBackDriver().orElseThrow()).startsWith("returned to its host driver iavf; " + UNDELETED);

        assertThat(preparer.rebound(directory)).isEmpty();
    }

    @Test
    void scrubIsDoneThoughTheNoteOfTheHostDriverStays() throws Exception {
        new UseNotes(prepared.node.sysfs()).note(prepared.device(VF0), "example.com/x", Set.of("pod"), directory);
        prepared.node.interfere("sys/bus/pci/drivers/iavf/bind", () -> damage(VF0));

        Preparation scrub = preparer.scrub(prepared.device(VF0), prepared.recipe("vf", "reset = \"flr\""), () -> {});

        assertThat(scrub.await(PATIENCE)).isTrue();
        assertThat(await(PrepareEvent.Output.class).line())
                .startsWith("returned to its host driver iavf; " + UNDELETED);
        assertThat(prepared.driver(VF0)).isEqualTo("iavf");
    }

    /** A container that has the function from now on gets the recipe's driver, and a later release returns it. */
    @Test
    void functionWhoseReturnFailedIsNotedAgainByItsNextPreparation() throws Exception {
        prepared.node.interfere("sys/bus/pci/drivers/iavf/bind", () -> {
            damage(VF0);
            throw new IOException("Cannot allocate memory");
        });
        assertThat(giveBackDriver()).isPresent();
        Files.delete(note(VF0).resolve("in the way"));
        Files.delete(note(VF0));
        prepared.node.interfere("sys/bus/pci/drivers/iavf/bind", () -> {});
        Preparation away = preparer.prepare(prepared.device(VF0), prepared.recipe("vf", "driver = \"iavf\""));
        assertThat(away.await(PATIENCE)).isTrue();
        preparer.collect(away);

        assertThat(preparer.prepare(prepared.device(VF0), prepared.recipe("vf", "driver = \"vfio-pci\""))
                        .await(PATIENCE))
                .isTrue();

        assertThat(preparer.rebound(directory)).containsExactly(address(VF0));
    }

    @Test
    void returnThatCannotLockOthersOutEndsAndSaysWhyOnce() throws Exception {
        Path lock = prepared.node.root().resolve("run/edgeplug/lock/function-" + VF0);
        assertThat(Files.deleteIfExists(lock)).isTrue();
        Files.createDirectory(lock);

        assertThat(giveBackDriver().orElseThrow())
                .startsWith("cannot return to its host driver: it cannot be locked against other processes: ");
        assertThat(giveBackDriver()).isEmpty();
        assertThat(preparer.rebound(directory)).as("is tried again").isNotEmpty();

        Files.delete(lock);
        assertThat(giveBackDriver()).contains("returned to its host driver iavf");
    }

    /** Its own function stays as it is, because it is not known for which kubelet it was bound. */
    @Test
    void damagedNoteKeepsNoOtherFunctionFromItsReturn() throws Exception {
        prepared.prepare(VF1, "driver = \"vfio-pci\"");
        damage(VF0);

        assertThat(preparer.rebound(directory)).containsExactly(address(VF1));
        assertThat(preparer.rebound(directory)).containsExactly(address(VF1));

        assertThat(events).hasSize(1);
        assertThat(await(PrepareEvent.Recovered.class).text())
                .isEqualTo("does not return to its host driver, because the note of its host driver cannot be read: "
                        + note(VF0) + ": is no file");
    }

    private static PciAddress address(String function) {
        return PciAddress.parse(function).orElseThrow();
    }

    /** Whoever follows the events does not ask for the result. */
    @Test
    void preparationThatCannotLockOthersOutEndsToo() throws Exception {
        Path lock = prepared.node.root().resolve("run/edgeplug/lock/device-" + VF0);
        assertThat(Files.deleteIfExists(lock)).isTrue();
        Files.createDirectory(lock);
        new UseNotes(prepared.node.sysfs()).note(prepared.device(VF0), "example.com/x", Set.of("pod"), directory);

        Preparation unusedPreparation =
                preparer.prepare(prepared.device(VF0), prepared.recipe("vf", "reset = \"flr\""));
        Optional<String> prepare = await(PrepareEvent.Ended.class).problem();
        Preparation unusedToo =
                preparer.scrub(prepared.device(VF0), prepared.recipe("vf", "reset = \"flr\""), () -> {});
        Optional<String> scrub = await(PrepareEvent.Scrubbed.class).problem();

        assertThat(Stream.of(prepare, scrub))
                .allSatisfy(problem ->
                        assertThat(problem.orElseThrow()).startsWith("it cannot be locked against other processes: "));
    }
}
