package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.edgeplug.cli.devices.ScannedNode;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.prepare.UseNotes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code prepare --release} does to a device that a pod has used, and {@code --forget} to the note of one that is gone. */
@Timeout(60)
final class ReleaseByHandTest extends ByHandOnDemoNode {

    private static final String TOOL = """
            release = { reset = "flr" }
            [[class]]
            resource = "example.com/tool"
            kind = "path"
            match = { paths = ["/dev/tool*"] }
            release = { command = ["/bin/true"] }
            """;

    private UseNotes used;
    private String lines = "release = { reset = \"flr\" }";

    @BeforeEach
    void open() {
        used = new UseNotes(node.sysfs());
    }

    private Device vf() throws Exception {
        return ScannedNode.of(node.sysfs(), List.of()).one(VF).device();
    }

    @Test
    void scrubByHandIsThatOfTheLastUseAndOffersTheDeviceAgain() throws Exception {
        used.note(vf(), "example.com/vf", Set.of("gone"), directory);

        byHand.perform(classes("release = { reset = \"flr\" }"), VF, new ByHand.Errand(true, Optional.empty()), false);

        assertThat(lines()).contains("  reset      flr", VF + ": scrubbed in N ms\n");
        assertThat(used.find(VF)).isEmpty();
        assertThat(node.acts()).contains(VF + " reset by flr");
    }

    @Test
    void deviceThatAPodHoldsIsNotScrubbedByHand() throws Exception {
        checkpoint(HELD);

        assertThatIOException()
                .isThrownBy(() -> byHand.perform(
                        classes("release = { reset = \"flr\" }"), VF, new ByHand.Errand(true, Optional.empty()), false))
                .withMessageContaining("may be held by container main of pod 1f3a");

        assertThat(node.acts()).isEmpty();
    }

    /** The kubelet forgets a pod once it gives some device to another one, also if a last process still runs. */
    @Test
    void deviceIsNotScrubbedByHandWhileAProcessOfItsLastPodMayRun() throws Exception {
        used.note(vf(), "example.com/vf", Set.of("1f3a"), directory);
        Path ignored = Files.createDirectories(node.root().resolve("sys/fs/cgroup/kubepods/pod1f3a"));

        ByHand.Errand release = new ByHand.Errand(true, Optional.empty());
        String running = "is used by processes of pod 1f3a that have not ended yet";

        assertThat(byHand.plan(classes(lines), VF, release)).isFalse();
        assertThat(lines()).contains("needs --force: it " + running);
        assertThatIOException()
                .isThrownBy(() -> byHand.perform(classes(lines), VF, release, false))
                .withMessageContaining(running + "; use --force to do it anyway");
        assertThat(node.acts()).isEmpty();
        assertThat(used.find(VF)).isPresent();

        byHand.perform(classes(lines), VF, release, true);
        assertThat(used.find(VF)).isEmpty();
    }

    /** Notes that a pod has used the VF, and then pulls it. */
    private void pullUsed() throws Exception {
        used.note(vf(), "example.com/vf", Set.of("1f3a"), directory);
        node.pull(PciAddress.parse(VF).orElseThrow());
    }

    private int prepare(String... args) throws Exception {
        List<DeviceClass> ignored = classes(lines);
        List<String> command = new ArrayList<>(List.of("prepare"));
        command.addAll(List.of(args));
        command.addAll(List.of("--config", directory.resolve("edgeplug.toml").toString()));
        command.addAll(List.of("--sysroot", node.root().toString(), "--kubelet-dir", directory.toString()));
        printed.clear();
        return printed.execute(command.toArray(String[]::new));
    }

    @Test
    void deviceThatIsGoneCannotBeScrubbedButForgotten() throws Exception {
        pullUsed();

        assertThat(prepare("--release", "3b:01.0")).isEqualTo(1);
        assertThat(lines())
                .isEqualTo("edgeplug: " + VF
                        + ": is not on this node any more; a pod has used it as example.com/vf, and it must be "
                        + "scrubbed once it is back; if it was removed for good, run: edgeplug prepare --forget " + VF
                        + "\n");
        assertThat(prepare("--forget", "--dry-run", VF)).isZero();
        assertThat(lines()).isEqualTo(VF + " would be forgotten: a pod has used it as example.com/vf\n");
        assertThat(used.find(VF)).isPresent();

        assertThat(prepare("--forget", "3b:01.0")).isZero();
        assertThat(lines()).isEqualTo(VF + ": forgotten: a pod has used it as example.com/vf\n");
        assertThat(used.all()).isEmpty();
        assertThat(node.acts()).isEmpty();

        assertThat(prepare("--forget", VF)).isEqualTo(1);
        assertThat(lines()).startsWith("edgeplug: " + VF + ": there is no note that a pod has used such a device");
        assertThat(prepare("--release", VF)).isEqualTo(1);
        assertThat(lines()).contains("no such device here");
    }

    @Test
    void deviceThatIsGoneAndThatAPodMayHoldIsForgottenOnlyByForce() throws Exception {
        pullUsed();
        checkpoint(HELD);

        assertThat(prepare("--forget", "--dry-run", VF)).isEqualTo(1);
        assertThat(lines()).contains("needs --force: it may be held by container main of pod 1f3a");
        assertThat(prepare("--forget", VF)).isEqualTo(1);
        assertThat(lines())
                .contains(VF + ": it may be held by container main of pod 1f3a", "; use --force to do it anyway");
        assertThat(used.find(VF)).isPresent();

        assertThat(prepare("--forget", "--force", VF)).isZero();
        assertThat(used.find(VF)).isEmpty();
    }

    @Test
    void useOfADeviceThatIsThereIsNotForgotten() throws Exception {
        used.note(vf(), "example.com/vf", Set.of("1f3a"), directory);

        assertThat(prepare("--forget", "3b:01.0")).isEqualTo(1);
        assertThat(lines())
                .contains("is on this node; to scrub it and offer it again, run: edgeplug prepare --release 3b:01.0");
        assertThat(prepare("--forget", "--release", VF)).isEqualTo(2);
        assertThat(used.find(VF)).isPresent();
    }

    @Test
    void useOfAFileIsForgottenOnlyIfAClassWouldSeeIt() throws Exception {
        Path tool = Files.createFile(
                Files.createDirectories(node.root().resolve("dev")).resolve("tool0"));
        Device device = ScannedNode.of(node.sysfs(), classes(TOOL)).one("tool0").device();
        used.note(device, "example.com/tool", Set.of("1f3a"), directory);

        lines = TOOL;
        assertThat(prepare("--forget", "tool0")).isEqualTo(1);
        assertThat(lines()).contains("is on this node; to scrub it");
        lines = "release = { reset = \"flr\" }";
        assertThat(prepare("--forget", "tool0")).isEqualTo(1);
        assertThat(lines()).contains("its resource has no class any more");
        assertThat(used.find("tool0")).isPresent();

        Files.delete(tool);
        lines = TOOL;
        assertThat(prepare("--forget", "tool0")).isZero();
        assertThat(used.find("tool0")).isEmpty();
    }

    @Test
    void fileThatAPodHasUsedIsScrubbedByHand() throws Exception {
        Path ignored = Files.createFile(
                Files.createDirectories(node.root().resolve("dev")).resolve("tool0"));
        Device device = ScannedNode.of(node.sysfs(), classes(TOOL)).one("tool0").device();
        used.note(device, "example.com/tool", Set.of("1f3a"), directory);

        byHand.perform(classes(TOOL), "tool0", new ByHand.Errand(true, Optional.empty()), false);

        assertThat(used.find("tool0")).isEmpty();
    }

    @Test
    void noteThatCannotBeReadIsForgottenToo() throws Exception {
        pullUsed();
        Path note = node.root().resolve("var/lib/edgeplug/used/" + VF + ".used");
        Files.writeString(note, "garbage");

        assertThat(prepare("--forget", VF)).isZero();
        assertThat(note).doesNotExist();
    }
}
