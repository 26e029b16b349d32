package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.FacePods.await;
import static io.edgeplug.api.kubelet.FacePods.run;
import static io.edgeplug.api.kubelet.FacesNode.reason;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.system.flow.Deadline;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A device whose class has another resource name than when a pod got it. */
@Timeout(90)
final class RenamedClassTest extends OnFacesNode {

    private static final ResourceName OLD = ResourceName.parse("example.com/old");
    private static final ResourceName NEW = ResourceName.parse("example.com/new");

    private static String plain(ResourceName resource) {
        return """
                [[class]]
                resource = "%s"
                kind = "pci"
                match = { vendors = ["10ee"] }
                """.formatted(resource);
    }

    private static String scrubbed(ResourceName resource) {
        return plain(resource) + "[class.release]\n" + FLR + "\n";
    }

    @Test
    void deviceThatAPodHasByTheOldNameIsNotOfferedByTheNewOne() throws Exception {
        LocalKubelet kubelet = kubelet();
        FacesNode.make(directory, 2);
        TestDaemon daemon = open(scrubbed(OLD));
        await(kubelet, OLD, 2);
        run(kubelet, "pod", OLD, ID);

        daemon.use(ConfigFiles.read(Files.writeString(directory.resolve("edgeplug.toml"), scrubbed(NEW)))
                .classes());

        kubelet.await(NEW, state -> state.registered() && state.capacity() == 2, TestDaemon.PATIENCE);
        await(kubelet, NEW, 1);
        assertThat(reason(daemon, NEW)).startsWith("is held as example.com/old by ");
        assertThat(FacesNode.acts(daemon)).isEmpty();
    }

    /** Else a person is asked to scrub a device that the daemon is about to scrub. */
    @Test
    void classThatComesBackNeedsNoPersonAnyMore() throws Exception {
        LocalKubelet kubelet = kubelet();
        FacesNode.make(directory, 2);
        TestDaemon daemon = open(scrubbed(OLD));
        await(kubelet, OLD, 2);
        run(kubelet, "pod", OLD, ID);
        Custodian custodian = daemon.monitor.custodian();

        daemon.use(ConfigFiles.read(Files.writeString(directory.resolve("edgeplug.toml"), scrubbed(NEW)))
                .classes());
        assertThat(custodian.await(() -> custodian.of(ID).trouble().isPresent(), Deadline.in(TestDaemon.PATIENCE)))
                .isTrue();
        daemon.use(ConfigFiles.read(Files.writeString(directory.resolve("edgeplug.toml"), scrubbed(OLD)))
                .classes());

        assertThat(custodian.await(() -> custodian.of(ID).trouble().isEmpty(), Deadline.in(TestDaemon.PATIENCE)))
                .isTrue();
        assertThat(custodian.of(ID).traces()).isPresent();
    }

    /** As after the command that the log names. */
    @Test
    void deviceWhoseNoteWasDeletedByHandIsOfferedAgain() throws Exception {
        LocalKubelet kubelet = kubelet();
        FacesNode.make(directory, 2);
        Files.createDirectories(note().getParent());
        Files.writeString(note(), "resource=example.com/old\nkubelet_dir=/nowhere\n");
        try (LogLines log = LogLines.open()) {
            TestDaemon daemon = open(plain(NEW));
            await(kubelet, NEW, 1);
            List<String> ignored = log.await(ID + ": is not offered: ");

            Files.delete(note());

            await(kubelet, NEW, 2);
            assertThat(FacesNode.acts(daemon)).isEmpty();
        }
    }
}
