package io.edgeplug.node.supply;

import static io.edgeplug.node.supply.SupplyNode.A;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Event;
import io.edgeplug.model.custody.Face;
import io.edgeplug.model.custody.Hold;
import io.edgeplug.model.custody.User;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.rules.Sharing;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.node.pods.HeldDevices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the custodian knows after readings. */
final class HolderReadingTest {

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    /** No node hands out so many, and each of them would be a record. */
    @Test
    void moreHoldingsThanThereCanBeAreNotTold() throws Exception {
        SupplyNode node = new SupplyNode(closing, directory);
        Custodian custodian = node.monitor.custodian();
        String ids = IntStream.range(0, 2 * Sharing.MAX_LISTED + 1)
                .mapToObj(i -> "\"" + A + "::" + i + "\"")
                .collect(Collectors.joining(","));
        Path notes = Files.createDirectories(directory.resolve("notes"));
        Files.writeString(notes.resolve(HeldDevices.FILE), """
                {"Data":{"PodDeviceEntries":[{"PodUID":"pod","ContainerName":"main","ResourceName":"example.com/any",
                "DeviceIDs":{"0":[%s]},"AllocResp":""}],"RegisteredDevices":{}},"Checksum":1}""".formatted(ids));

        HolderReading reading = new HolderReading(
                node.monitor,
                new Uses(node.node.sysfs(), custodian, directory),
                new GivenNodes(node.node.sysfs(), custodian),
                notes);

        assertThatThrownBy(reading::read)
                .hasMessage("more than 16384 devices and shares of edgeplug are noted as given to pods");
        assertThat(custodian.of(A).holds()).isEmpty();
    }

    /** Its pod may be in the notes, and run. */
    @Test
    void notesThatCannotBeReadEndNoAllocateHoweverOld() throws Exception {
        SupplyNode node = new SupplyNode(closing, directory);
        Custodian custodian = node.monitor.custodian();
        Inventory.Item item = node.monitor.current().items().stream()
                .filter(one -> one.device().id().equals(A))
                .findFirst()
                .orElseThrow();
        Face face = item.face().orElseThrow();
        Device device = item.device();
        Instant clock = Instant.now().minus(User.Grant.FORGOTTEN.multipliedBy(2));
        long given = System.nanoTime() - User.Grant.FORGOTTEN.multipliedBy(2).toNanos();
        custodian.tell(A, new Event.Given(Set.of(A), face, device, User.Grant.of(1, given, clock)));

        HolderReading reading = new HolderReading(
                node.monitor,
                new Uses(node.node.sysfs(), custodian, directory),
                new GivenNodes(node.node.sysfs(), custodian),
                directory.resolve("nowhere"));
        assertThatThrownBy(reading::read).isInstanceOf(IOException.class);

        assertThat(custodian.of(A).holder().filter(Hold::isGrant)).isPresent();
    }
}
