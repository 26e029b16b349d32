package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.HungFileSystem;
import io.edgeplug.api.kubelet.Seen;
import io.edgeplug.api.kubelet.TestDaemon;
import io.edgeplug.system.files.NeedsRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code check} says about classes of files. */
final class CheckFilesTest {

    @TempDir
    private Path directory = Path.of("");

    @Test
    void whoDecidesWhatAPathIsIsNoted() throws IOException {
        Path gophers = Files.createDirectories(directory.resolve("files/etc/gophers"));
        Files.createFile(gophers.resolve("g1"));
        Files.createDirectory(directory.resolve("files/sys"));
        Files.setPosixFilePermissions(gophers, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path config = Files.writeString(directory.resolve("y.toml"), """
                [[class]]
                resource = "example.com/gopher"
                kind = "path"
                trust_owner = "gopher"
                match = { paths = ["/etc/gophers/*"] }
                """);

        assertThat(CheckTest.run(config, directory.resolve("files"))).isEqualTo("""
                example.com/gopher: kind path, 1 device here, 0 healthy
                note: example.com/gopher: trust_owner: gopher decides which files of this node its containers get, also /etc/shadow
                note: example.com/gopher: a device is unhealthy: g1: its way leads through /etc/gophers, to which anyone can write
                """);
    }

    @Test
    void nodesOfADirectoryAndAMountAreNoted() throws IOException {
        Path root = directory.resolve("files");
        Files.createDirectories(root.resolve("sys"));
        for (String node : List.of("dev/snd/controlC0", "dev/snd/timer", "dev/kvm")) {
            Files.createDirectories(root.resolve(node).resolveSibling(""));
            Files.createSymbolicLink(root.resolve(node), Path.of("/dev/null"));
        }
        Path config = Files.writeString(directory.resolve("y.toml"), """
                [[class]]
                resource = "example.com/snd"
                kind = "path"
                mounts = ["/dev/kvm:rw"]
                match = { paths = ["/dev/snd/"] }
                """);

        assertThat(CheckTest.run(config, root)).isEqualTo("""
                example.com/snd: kind path, 1 device here, healthy
                note: example.com/snd: /dev/snd has device nodes, now 2, and a container gets those that are in it when it starts
                note: example.com/snd: mounts: /dev/kvm is a device node, so a container gets it as a device
                """);
    }

    @Test
    void classWhoseFilesAnotherHasIsToldWhich() throws IOException {
        Path root = directory.resolve("files");
        Files.createDirectories(root.resolve("sys"));
        Files.createDirectories(root.resolve("dev/snd"));
        for (String file : List.of("dev/kvm", "dev/snd/controlC0", "dev/snd/a,b")) {
            Files.createFile(root.resolve(file));
        }
        Path config = Files.writeString(directory.resolve("y.toml"), """
                [[class]]
                resource = "example.com/kvm"
                kind = "path"
                match = { paths = ["/dev/kvm"] }
                [[class]]
                resource = "example.com/vm"
                kind = "path"
                [[class.groups]]
                paths = ["/dev/kvm", "/dev/snd/controlC0"]
                [[class]]
                resource = "example.com/snd"
                kind = "path"
                shared_with = ["example.com/audio"]
                match = { paths = ["/dev/snd/", "/dev/snd/*"] }
                """);

        assertThat(CheckTest.run(config, root)).isEqualTo("""
                example.com/kvm: kind path, 1 device here, healthy
                example.com/vm: kind path, no devices here
                example.com/snd: kind path, 2 devices here, healthy
                note: example.com/vm: files that it names belong to example.com/kvm, which comes first: /dev/kvm; with shared_with = ["example.com/kvm"], both classes have these files
                note: example.com/snd: a file is left out: /dev/snd/a,b: its name cannot be an ID: printable characters of ASCII only, no comma or space; the key id gives other IDs, such as id = "{name}-{hash}"
                note: example.com/snd: shared_with: no class has the resource example.com/audio
                note: example.com/snd: two pods can have the same file at a time: /dev/snd/controlC0 as snd-snd of example.com/snd and as snd-controlC0 of example.com/snd
                """);
    }

    @Test
    void fileThatOneDeviceHasUnderTwoNamesIsNotNoted() throws IOException {
        Path root = directory.resolve("files");
        Files.createDirectories(root.resolve("sys"));
        Path node =
                Files.createFile(Files.createDirectories(root.resolve("dev")).resolve("ttyUSB0"));
        Files.createSymbolicLink(root.resolve("dev/zigbee2"), node.getFileName());
        Path config = Files.writeString(directory.resolve("y.toml"), """
                [[class]]
                resource = "example.com/stick"
                kind = "path"
                [[class.groups]]
                paths = ["/dev/zigbee2", "/dev/ttyUSB0"]
                """);

        assertThat(CheckTest.run(config, root)).isEqualTo("example.com/stick: kind path, 1 device here, healthy\n");
    }

    @Test
    void fileWithTwoNamesIsNoted() throws IOException {
        Path root = directory.resolve("files");
        Files.createDirectories(root.resolve("sys"));
        Files.createFile(Files.createDirectories(root.resolve("dev")).resolve("ttyUSB0"));
        Files.createSymbolicLink(
                Files.createDirectories(root.resolve("dev/serial/by-id")).resolve("usb-Scope"),
                Path.of("../../ttyUSB0"));
        Path config = Files.writeString(directory.resolve("y.toml"), """
                [[class]]
                resource = "example.com/scope"
                kind = "path"
                match = { paths = ["/dev/serial/by-id/usb-*"] }
                [[class]]
                resource = "example.com/tty"
                kind = "path"
                match = { paths = ["/dev/ttyUSB*"] }
                """);

        assertThat(CheckTest.run(config, root)).isEqualTo("""
                example.com/scope: kind path, 1 device here, healthy
                example.com/tty: kind path, 1 device here, healthy
                note: example.com/tty: two pods can have the same file at a time: /dev/ttyUSB0 as usb-Scope of example.com/scope and as ttyUSB0 of example.com/tty
                """);
    }

    @Test
    void mountThatIsMissingIsNotedAsListTellsIt() throws IOException {
        Path root = directory.resolve("files");
        for (String file : List.of("etc/gophers/g1", "dev/null", "sys/here")) {
            Files.createFile(Files.createDirectories(root.resolve(file).getParent())
                    .resolve(Path.of(file).getFileName()));
        }
        Path config = Files.writeString(directory.resolve("y.toml"), """
                [[class]]
                resource = "example.com/gopher"
                kind = "path"
                mounts = ["/srv/gophers/{id}"]
                match = { paths = ["/etc/gophers/*"] }
                """);

        assertThat(CheckTest.run(config, root)).isEqualTo("""
                example.com/gopher: kind path, 1 device here, 0 healthy
                note: example.com/gopher: a device is unhealthy: g1: its mount /srv/gophers/g1 is not there
                """);
    }

    /** Nothing can end the look, so a person must know which file it is about. */
    @Test
    @Timeout(60)
    @NeedsRoot("mounts a file system")
    void fileThatDoesNotAnswerIsNamedWhileItIsWaitedFor() throws Exception {
        Path far = Files.createDirectories(directory.resolve("files/mnt/far"));
        Files.createDirectory(directory.resolve("files/sys"));
        Path config = Files.writeString(directory.resolve("y.toml"), """
                [[class]]
                resource = "example.com/gopher"
                kind = "path"
                match = { paths = ["/mnt/far/g1"] }
                """);
        Console console = new Console();
        Thread check = Thread.ofPlatform()
                .unstarted(() -> console.execute(
                        "check",
                        "--config",
                        config.toString(),
                        "--sysroot",
                        directory.resolve("files").toString()));
        try (HungFileSystem hung = HungFileSystem.mount(far)) {
            check.start();
            hung.awaitRequest();

            Seen.untilSo("the file is named", () -> console.text().contains("edgeplug: still waiting for "));
            assertThat(console.text()).contains("waiting for /mnt/far: its file system or driver does not answer");
        }
        assertThat(check.join(TestDaemon.PATIENCE)).isTrue();
    }
}
