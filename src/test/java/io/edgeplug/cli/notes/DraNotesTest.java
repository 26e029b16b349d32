package io.edgeplug.cli.notes;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.cli.Console;
import io.edgeplug.cli.KubeletFiles;
import io.edgeplug.cli.options.Sysroot;
import io.edgeplug.model.config.ConfigFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What check says would keep devices that pods claim from the cluster. */
final class DraNotesTest {

    private static final String SERVER = "https://192.0.2.10:6443";
    private static final Instant VALID = Instant.parse("2030-01-01T00:00:00Z");

    private static final String CLASS = """
            [[class]]
            resource = "example.com/serial"
            kind = "path"
            api = "dra"
            match = { paths = ["/dev/ttyUSB*"] }
            """;

    @TempDir
    private Path directory = Path.of("");

    private Path root = Path.of("");
    private Path config = Path.of("");

    @BeforeEach
    void open() throws Exception {
        root = directory.resolve("node");
        Files.createDirectories(root.resolve("sys"));
        Files.createFile(Files.createDirectories(root.resolve("dev")).resolve("null"));
        configure("");
    }

    private void configure(String dra) throws Exception {
        config = Files.writeString(directory.resolve("edgeplug.toml"), dra + CLASS);
    }

    private List<String> notes(Instant now) throws Exception {
        try (Sysroot sysroot = Sysroot.open(root)) {
            return DraNotes.of(sysroot, ConfigFiles.read(config), now);
        }
    }

    private void unit(String file, String text) throws Exception {
        Path unit = root.resolve(file);
        Files.createDirectories(unit.resolveSibling(""));
        Files.writeString(unit, text);
    }

    private void installUnit() throws Exception {
        unit("usr/lib/systemd/system/edgeplug.service", Files.readString(Path.of("systemd/edgeplug.service")));
    }

    private void dropIn(String text) throws Exception {
        unit("etc/systemd/system/edgeplug.service.d/dra.conf", text);
    }

    @Test
    void nodeThatHasAllSaysNothing() throws Exception {
        KubeletFiles.write(root, SERVER);
        installUnit();
        dropIn("[Service]\nRestrictAddressFamilies=AF_INET AF_INET6\nIPAddressAllow=192.0.2.10\n");

        assertThat(notes(VALID)).isEmpty();
    }

    @Test
    void checkWarnsAndIsDoneAllTheSame() {
        Console console = new Console();

        assertThat(console.execute("check", "--sysroot", root.toString(), "--config", config.toString()))
                .isZero();
        assertThat(console.text())
                .contains("warning: api = \"dra\": cannot speak with the API server, so no device is published: "
                        + "/etc/kubernetes/kubelet.conf: no such file; if the kubelet has its kubeconfig elsewhere, name "
                        + "it in kubeconfig of [dra]\n");
    }

    @Test
    void classesOfADevicePluginAndACapturedNodeNeedNoApiServer() throws Exception {
        config = Files.writeString(config, CLASS.replace("api = \"dra\"\n", ""));
        assertThat(notes(VALID)).isEmpty();

        configure("");
        Files.delete(root.resolve("dev/null"));
        assertThat(notes(VALID)).isEmpty();
    }

    @Test
    void certificateThatIsMissingIsNamed() throws Exception {
        KubeletFiles.write(root, SERVER);
        Files.delete(root.resolve("var/lib/kubelet/pki/kubelet-client-2026.pem"));

        assertThat(notes(VALID)).singleElement().asString().contains("kubelet-client-current.pem: no such file");
    }

    @Test
    void certificateThatIsNotValidNowIsTold() throws Exception {
        KubeletFiles.write(root, SERVER);

        assertThat(notes(Instant.parse("2200-01-01T00:00:00Z")))
                .containsExactly("warning: api = \"dra\": /etc/kubernetes/kubelet.conf: its certificate expired at "
                        + "2126-10-30T14:30:53Z, so the API server refuses it; the kubelet renews its own: see whether "
                        + "it runs");
        assertThat(notes(Instant.parse("2001-01-01T00:00:00Z")))
                .containsExactly("warning: api = \"dra\": /etc/kubernetes/kubelet.conf: its certificate is valid only "
                        + "from 2026-11-23T14:30:53Z on; see whether the clock of this node is right");
    }

    @Test
    void identityThatDoesNotTellTheNodeOrAnotherOneIsTold() throws Exception {
        KubeletFiles.write(root, SERVER);
        configure("[dra]\nnode_name = \"edge-7\"\n");
        assertThat(notes(VALID))
                .singleElement()
                .asString()
                .contains("is the identity of the node node1, and node_name in [dra] is edge-7");

        Files.writeString(
                root.resolve("token.conf"),
                Files.readString(root.resolve("etc/kubernetes/kubelet.conf"))
                        .replaceAll("client-certificate: .*", "token: secret")
                        .replaceAll("client-key: .*", ""));
        configure("[dra]\nkubeconfig = \"/token.conf\"\n");
        assertThat(notes(VALID))
                .singleElement()
                .asString()
                .contains("/token.conf: is the identity of no node")
                .endsWith("set node_name in [dra]");
    }

    @Test
    void sandboxOfTheInstalledUnitIsWarnedOf() throws Exception {
        KubeletFiles.write(root, SERVER);
        installUnit();

        assertThat(notes(VALID))
                .containsExactly(
                        "warning: api = \"dra\": the sandbox of edgeplug.service keeps it from the API server: "
                                + "RestrictAddressFamilies has neither AF_INET nor AF_INET6; "
                                + "/usr/share/doc/edgeplug/dra.md has the drop-in to write");
        dropIn("[Service]\nRestrictAddressFamilies=AF_INET \\\n  AF_INET6\n");
        assertThat(notes(VALID)).singleElement().asString().contains("there is no IPAddressAllow");
        dropIn(
                "[Unit]\nIPAddressAllow=192.0.2.10\n[Service]\nRestrictAddressFamilies=AF_INET\nIPAddressAllow=192.0.2.77\n");
        assertThat(notes(VALID))
                .singleElement()
                .asString()
                .contains("IPAddressAllow does not have its address 192.0.2.10");
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.0/24, 192.0.2.10, true",
        "192.0.2.0/29, 192.0.2.10, false",
        "any, 192.0.2.10, true",
        "localhost, 127.0.0.1, true",
        "localhost, 192.0.2.10, false",
        "2001:db8::/32, [2001:db8::1], true",
        "2001:db8::/32, 192.0.2.10, false",
        "192.0.2.9, api.example.com, true",
    })
    void addressIsAllowedByItsNetwork(String allowed, String host, boolean isAllowed) throws Exception {
        KubeletFiles.write(root, "https://" + host + ":6443");
        installUnit();
        dropIn("[Service]\nRestrictAddressFamilies=AF_INET AF_INET6\nIPAddressAllow=" + allowed + "\n");

        assertThat(notes(VALID).isEmpty()).isEqualTo(isAllowed);
    }

    @ParameterizedTest
    @CsvSource({
        "RestrictAddressFamilies=, true",
        "RestrictAddressFamilies=none, false",
        "RestrictAddressFamilies=~AF_INET, true",
        "RestrictAddressFamilies=~AF_INET AF_INET6, false",
    })
    void familiesAreThoseOfAllFilesTogether(String setting, boolean isAllowed) throws Exception {
        KubeletFiles.write(root, SERVER);
        unit("etc/systemd/system/edgeplug.service", "[Service]\n" + setting + "\n");

        assertThat(notes(VALID).isEmpty()).isEqualTo(isAllowed);
    }

    @Test
    void dropInIsHiddenByAnotherOfItsNameAndByALinkToNothing() throws Exception {
        KubeletFiles.write(root, SERVER);
        unit("usr/lib/systemd/system/edgeplug.service", "[Service]\n");
        unit("usr/lib/systemd/system/service.d/a.conf", "[Service]\nRestrictAddressFamilies=AF_UNIX\n");
        assertThat(notes(VALID)).hasSize(1);

        unit("etc/systemd/system/service.d/a.conf", "# nothing\n");
        assertThat(notes(VALID)).isEmpty();
        Files.delete(root.resolve("etc/systemd/system/service.d/a.conf"));
        Files.createSymbolicLink(root.resolve("etc/systemd/system/service.d/a.conf"), Path.of("/dev/null"));
        assertThat(notes(VALID)).isEmpty();
    }
}
