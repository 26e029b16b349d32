package io.edgeplug.api.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.HandOver;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.node.supply.GroupedNode;
import io.edgeplug.node.supply.Resource;
import io.edgeplug.node.supply.SupplyNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A node with all that can be refused, and what supplies it. */
final class RefusalStage {

    static final String DPU = "example.com/dpu";
    static final String FILE = "example.com/file";
    static final String SHARED = "example.com/shared";
    static final String PAIR = "example.com/pair";
    static final String MADE = "example.com/made";

    private static final String CLASSES = SupplyNode.CLASSES + """
            [[class]]
            resource = "example.com/file"
            kind = "path"
            mounts = ["/srv/{id}"]
            match = { paths = ["/etc/files/*"] }
            [[class]]
            resource = "example.com/shared"
            kind = "path"
            shares = 3
            fail_requests_greater_than_one = true
            match = { paths = ["/etc/shared/*"] }
            [[class]]
            resource = "example.com/pair"
            kind = "path"
            container_dir = "/pair"
            [[class.groups]]
            paths = ["/etc/left", "/etc/one/map"]
            [[class.groups]]
            paths = ["/etc/right", "/etc/two/map"]
            [[class]]
            resource = "example.com/made"
            kind = "path"
            match = { paths = ["/etc/made/*"] }
            [class.prepare]
            command = ["/bin/sh", "-c", "echo no bitstream; exit 3"]
            """;

    final Monitor monitor;

    private final SimulatedNode node;
    private final List<Resource> resources;
    private final Path directory;

    RefusalStage(Closing closing, Path directory) throws Exception {
        this.directory = directory;
        node = GroupedNode.unpack(closing, directory);
        for (String file : List.of(
                "etc/files/f1",
                "srv/f1",
                "etc/shared/s1",
                "etc/left",
                "etc/one/map",
                "etc/right",
                "etc/two/map",
                "etc/made/m1")) {
            make(file, "");
        }
        makeNodes();
        Files.createDirectory(path("etc/files/d1"));
        Files.createSymbolicLink(path("etc/files/l1"), Path.of("nowhere"));
        GroupedNode whole = GroupedNode.follow(closing, node, directory, CLASSES);
        monitor = whole.monitor();
        resources = whole.supplies(closing).each().stream().map(whole::resource).toList();
    }

    /** Of files, which a tree has for nodes, links to one that every machine has. */
    private void makeNodes() throws IOException {
        try (Stream<Path> all = Files.walk(path("dev"))) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                Files.delete(file);
                Files.createSymbolicLink(file, Path.of("/dev/null"));
            }
        }
    }

    /** JUnit warns of each link out of the directory that it deletes. */
    static void deleteLinks(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory.resolve("node/dev"))) {
            for (Path link : all.filter(Files::isSymbolicLink).toList()) {
                Files.delete(link);
            }
        }
    }

    Path path(String path) {
        return node.root().resolve(path);
    }

    void pull(String id) throws IOException {
        node.pull(PciAddress.parse(id).orElseThrow());
    }

    void lookAgain(String unit) throws InterruptedException {
        monitor.lookAgain(unit);
        monitor.inventories().awaitNewerThan(1);
    }

    /** Waits until a device is unhealthy for that reason: on the way there it may have another one. */
    void awaitUnhealthy(String resource, String id, String reason) throws InterruptedException {
        Inventory now = monitor.current();
        while (now.device(ResourceName.parse(resource), id)
                .flatMap(device -> device.health().problem())
                .filter(problem -> problem.contains(reason))
                .isEmpty()) {
            now = monitor.inventories().awaitNewerThan(now.generation());
        }
    }

    void make(String path, String content) throws IOException {
        Files.createDirectories(path(path).resolveSibling("."));
        Files.writeString(path(path), content);
    }

    Path cdi() {
        return SupplyNode.directories(directory).cdi();
    }

    Path specification() {
        return cdi().resolve(SupplyNode.SPEC);
    }

    Path deviceInfo() {
        return SupplyNode.directories(directory).deviceInfo();
    }

    Resource resource(String name) {
        return resources.stream()
                .filter(resource -> resource.name().toString().equals(name))
                .findFirst()
                .orElseThrow();
    }

    void allocate(String name, String... ids) throws Exception {
        assertThat(resource(name).allocate(List.of(List.of(ids)), HandOver.CDI)).hasSize(1);
    }

    /** Spoils a file and allocates, until that is refused. A look may write the file anew between the two. */
    void allocateSpoilt(Path file, String name, String id) throws Exception {
        for (int tries = 0; tries < 100; tries++) {
            Files.writeString(file, "{}");
            allocate(name, id);
        }
    }

    void prepare(String name, String... ids) throws Exception {
        resource(name).prepare(List.of(ids));
    }
}
