package io.edgeplug.node.supply;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.rules.HandOver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which thread looks at the files of an Allocate: another one costs more than the look. */
@Timeout(60)
final class LookingThreadTest {

    private static final String FILES = """
            [[class]]
            resource = "example.com/file"
            kind = "path"
            match = { paths = ["/srv/files/*"] }
            """;

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    @Test
    void fileOnALocalDiskIsLookedAtByTheCaller() throws Exception {
        SimulatedNode node = GroupedNode.unpack(closing, directory);
        Path files = Files.createDirectories(node.root().resolve("srv/files"));
        Files.writeString(files.resolve("one"), "");
        GroupedNode whole = GroupedNode.follow(closing, node, directory, FILES);
        Resource resource = whole.resource(whole.supplies(closing).each().getFirst());
        List<Thread> answering = new ArrayList<>();

        resource.allocate(
                List.of(List.of("one")),
                HandOver.CDI,
                allocations -> answering.add(Thread.currentThread()),
                refusal -> answering.add(new Thread(refusal.getMessage())));

        assertThat(answering).containsExactly(Thread.currentThread());
    }
}
