package io.edgeplug.node.supply;

import static io.edgeplug.node.supply.SupplyNode.A;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.model.custody.Event;
import io.edgeplug.model.custody.Work;
import io.edgeplug.model.device.Device;
import io.edgeplug.node.pods.HeldDevices;
import io.edgeplug.node.pods.KubeletPods;
import io.edgeplug.node.pods.PreparedClaims;
import io.edgeplug.node.prepare.UseNotes;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.rpc.UnixRpc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts of containers that wait for scrubs. */
final class StartsTest {

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    /** A container that starts while nobody listens is not prepared, so it does not wait for a scrub that failed. */
    @Test
    void sharedDeviceIsNotScrubbedForAStartWhileAnotherPodHasAShareOfIt() throws Exception {
        GroupedNode node =
                GroupedNode.follow(closing, GroupedNode.unpack(closing, directory), directory, """
                [[class]]
                resource = "example.com/dpu"
                kind = "nic"
                shares = 2
                [class.match]
                pci_addresses = ["%s"]
                [class.release]
                reset = "flr"
                """.formatted(A));
        Preparations preparations = node.preparations();
        preparations.uses.use(directory, node.classes());
        Device device = node.monitor().here(A).orElseThrow();
        new UseNotes(node.node().sysfs()).note(device, "example.com/dpu", Set.of("gone"), directory);
        Files.writeString(
                node.node().root().resolve("var/lib/edgeplug/used/" + A + ".used"),
                "released=true\n",
                StandardOpenOption.APPEND);
        preparations.uses.readAgain();
        Files.writeString(directory.resolve(HeldDevices.FILE), """
                {"Data":{"PodDeviceEntries":[
                {"PodUID":"runs","ContainerName":"main","ResourceName":"example.com/dpu","DeviceIDs":["%s::0"]},
                {"PodUID":"starts","ContainerName":"main","ResourceName":"example.com/dpu","DeviceIDs":["%s::1"]}
                ],"RegisteredDevices":{}},"Checksum":1}
                """.formatted(A, A));

        assertThatThrownBy(() -> preparations.starts.awaitScrub(
                        node.classes().getFirst(), List.of(device), Set.of(A + "::1"), Deadline.in(Duration.ZERO)))
                .isInstanceOf(TimeoutException.class);

        assertThat(node.monitor().custodian().of(A).traces()).isPresent();
        assertThat(node.monitor().custodian().of(A).work()).isEmpty();
        assertThat(node.node().acts()).isEmpty();
    }

    /** It may have started while the last scrub waited for its next try, and its last process may outlive its pod. */
    @Test
    void startThatNobodySawIsNotedThoughThoseBeforeItAreReleased() throws Exception {
        GroupedNode node =
                GroupedNode.follow(closing, GroupedNode.unpack(closing, directory), directory, """
                [[class]]
                resource = "example.com/dpu"
                kind = "nic"
                [class.match]
                pci_addresses = ["%s"]
                [class.release]
                reset = "flr"
                """.formatted(A));
        Preparations preparations = node.preparations();
        preparations.uses.use(directory, node.classes());
        Device device = node.monitor().here(A).orElseThrow();
        new UseNotes(node.node().sysfs()).note(device, "example.com/dpu", Set.of("gone"), directory);
        Path note = node.node().root().resolve("var/lib/edgeplug/used/" + A + ".used");
        Files.writeString(note, "released=true\n", StandardOpenOption.APPEND);
        preparations.uses.readAgain();
        Files.writeString(directory.resolve(HeldDevices.FILE), """
                {"Data":{"PodDeviceEntries":[
                {"PodUID":"runs","ContainerName":"main","ResourceName":"example.com/dpu","DeviceIDs":["%s"]}
                ],"RegisteredDevices":{}},"Checksum":1}
                """.formatted(A));
        Path ignored = Files.createDirectories(directory.resolve("pods/runs/containers/main"));
        UnixRpc rpc = closing.add(UnixRpc.open());
        KubeletPods pods = closing.add(new KubeletPods(
                rpc, directory, directory, PreparedClaims.none(), KubeletPods.CGROUPS, any -> true, () -> {}));
        HeldDevices held = HeldDevices.read(directory);

        node.monitor().custodian().tell(A, new Event.Begun(Work.Kind.SCRUB, "", Instant.EPOCH));
        preparations.uses.noteUnseen(node.monitor().current(), held, pods);
        assertThat(preparations.uses.find(A).map(UseNotes.Use::isReleased)).contains(true);

        node.monitor().custodian().tell(A, new Event.Left(Work.Kind.SCRUB));
        preparations.uses.noteUnseen(node.monitor().current(), held, pods);

        UseNotes.Use use = preparations.uses.find(A).orElseThrow();
        assertThat(use.pods()).containsExactly("runs");
        assertThat(use.isReleased()).isFalse();
    }
}
