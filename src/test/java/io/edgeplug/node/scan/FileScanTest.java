package io.edgeplug.node.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which class has a file that several classes name. */
final class FileScanTest {

    private static final String KVM = """
            [[class]]
            resource = "example.com/kvm"
            kind = "path"
            match = { paths = ["/dev/kvm"] }
            """;
    private static final String VM = """
            [[class]]
            resource = "example.com/vm"
            kind = "path"
            [[class.groups]]
            paths = ["/dev/kvm", "/dev/net/tun"]
            """;
    private static final String CONTROL = """
            [[class]]
            resource = "example.com/control"
            kind = "path"
            [[class.groups]]
            paths = ["/dev/kvm", "/dev/fuse"]
            """;

    @TempDir
    private Path root = Path.of("");

    @BeforeEach
    void make() throws IOException {
        Files.createDirectories(root.resolve("sys"));
        for (String file : List.of("dev/kvm", "dev/fuse", "dev/net/tun")) {
            Files.createDirectories(root.resolve(file).resolveSibling(""));
            Files.createFile(root.resolve(file));
        }
    }

    private List<String> devices(String... classes) throws Exception {
        return Inventory.scan(Sysfs.at(root), read(classes)).items().stream()
                .map(item -> item.device().id() + " of "
                        + item.resource().map(Object::toString).orElse("nobody")
                        + item.device()
                                .health()
                                .problem()
                                .map(text -> ": " + text)
                                .orElse(""))
                .toList();
    }

    private List<DeviceClass> read(String... classes) throws Exception {
        Path config = Files.writeString(root.resolve("edgeplug.toml"), String.join("\n", classes));
        return ConfigFiles.read(config).classes();
    }

    private static String sharing(String deviceClass, String resources) {
        return deviceClass.replace("kind", "shared_with = [" + resources + "]\nkind");
    }

    @Test
    void firstClassHasTheFileWhetherItIsAloneOrInAGroup() throws Exception {
        assertThat(devices(KVM, VM)).containsExactly("kvm of example.com/kvm");
        assertThat(devices(VM, KVM)).containsExactly("kvm of example.com/vm");
        assertThat(devices(CONTROL, VM)).containsExactly("kvm of example.com/control");
        assertThat(devices(VM, CONTROL, KVM)).containsExactly("kvm of example.com/vm");
    }

    @Test
    void classesThatSayItShareAFile() throws Exception {
        String shared = sharing(VM, "\"example.com/kvm\"");

        assertThat(devices(KVM, shared)).containsExactly("kvm of example.com/kvm", "vm-kvm of example.com/vm");
        assertThat(devices(shared, KVM)).containsExactly("kvm of example.com/kvm", "vm-kvm of example.com/vm");
        assertThat(devices(shared)).containsExactly("vm-kvm of example.com/vm");
    }

    @Test
    void whoIsNotNamedDoesNotShare() throws Exception {
        assertThat(devices(KVM, CONTROL, sharing(VM, "\"example.com/control\"")))
                .containsExactly("kvm of example.com/kvm");
        assertThat(devices(CONTROL, sharing(VM, "\"example.com/control\""), KVM))
                .containsExactly("kvm of example.com/control", "vm-kvm of example.com/vm");
        assertThat(devices(CONTROL, sharing(VM, "\"example.com/control\", \"example.com/kvm\""), KVM))
                .containsExactly("kvm of example.com/control", "vm-kvm of example.com/vm");
    }

    @Test
    void aLookAtOneFileFindsWhatAScanFinds() throws Exception {
        List<DeviceClass> classes = read(KVM, sharing(VM, "\"example.com/kvm\""));
        FileScan scan = new FileScan(Sysfs.at(root));
        var rules = classes.stream().map(DeviceClass::files).toList();

        assertThat(scan.path("/dev/kvm", rules)).isEqualTo(scan.paths(rules).devices());
        assertThat(scan.path("/dev/kvm", rules)).extracting(PathDevice::id).containsExactly("kvm", "vm-kvm");
        assertThat(scan.path("/dev/fuse", rules)).isEmpty();
    }

    @Test
    void namesThatCannotBeIdsAreOfferedWithOthers() throws Exception {
        for (String name : List.of("a,b", "a b", "ü", "-x", "plain")) {
            Files.createDirectories(root.resolve("etc/g"));
            Files.createFile(root.resolve("etc/g/" + name));
        }
        String names = """
                [[class]]
                resource = "example.com/g"
                kind = "path"
                match = { paths = ["/etc/g/*"] }
                """;

        assertThat(devices(names))
                .filteredOn(line -> line.contains("of nobody: its name"))
                .hasSize(4);
        // as printed by: printf %s PATH | sha256sum
        assertThat(devices(names.replace("match", "id = \"{dir}.{name}-{hash}\"\nmatch")))
                .containsExactly(
                        "g._x-529b4096 of example.com/g",
                        "g.a_b-604cae38 of example.com/g",
                        "g.a_b-e6c2131a of example.com/g",
                        "g.plain-dcc727ba of example.com/g",
                        "g._-a079d385 of example.com/g");
    }

    @Test
    void equalNamesInTwoDirectoriesAreToldApart() throws Exception {
        for (String file : List.of("bus/001/004", "bus/002/004")) {
            Files.createDirectories(root.resolve(file).resolveSibling(""));
            Files.createFile(root.resolve(file));
        }
        String usb = """
                [[class]]
                resource = "example.com/usb"
                kind = "path"
                match = { paths = ["/bus/*/*"] }
                """;

        assertThat(devices(usb))
                .containsExactly("004 of example.com/usb", "004 of nobody: another device has the ID 004");
        assertThat(devices(usb.replace("match", "id = \"{dir}-{id}\"\nmatch")))
                .containsExactly("001-004 of example.com/usb", "002-004 of example.com/usb");
    }
}
