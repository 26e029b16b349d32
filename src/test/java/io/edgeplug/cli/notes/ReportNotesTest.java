package io.edgeplug.cli.notes;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.cli.options.Sysroot;
import io.edgeplug.model.config.ConfigFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What check says would keep the service from writing what it is to write. */
final class ReportNotesTest {

    @TempDir
    private Path directory = Path.of("");

    private static List<String> notes(Path node, Path config) throws Exception {
        try (Sysroot sysroot = Sysroot.open(node)) {
            return ReportNotes.of(sysroot.sysfs(), ConfigFiles.read(config));
        }
    }

    @Test
    void directoriesInWhichTheServiceCannotWriteAreWarnedOf() throws Exception {
        Path node = directory.resolve("files");
        for (String name : List.of("dev", "sys", "usr/lib/systemd/system", "var/lib", "data/kubelet", "etc")) {
            Files.createDirectories(node.resolve(name));
        }
        Files.createFile(node.resolve("dev/null"));
        Files.createSymbolicLink(node.resolve("var/lib/kubelet"), Path.of("../../data/kubelet"));
        Files.copy(Path.of("systemd/edgeplug.service"), node.resolve("usr/lib/systemd/system/edgeplug.service"));
        Path config = Files.writeString(directory.resolve("z.toml"), """
                cdi_dir = "/etc/cdi"
                [[class]]
                resource = "example.com/tty"
                kind = "path"
                match = { paths = ["/dev/null"] }
                """);

        assertThat(notes(node, config))
                .hasSize(2)
                .contains(
                        "warning: kubelet_dir: edgeplug.service cannot write in /data/kubelet/device-plugins, because "
                                + "that is read-only in its sandbox; make that directory if it is missing, run "
                                + "\"systemctl edit edgeplug\", write \"[Service]\" and "
                                + "\"ReadWritePaths=-/data/kubelet/device-plugins\" there, and restart edgeplug")
                .anyMatch(line -> line.startsWith("warning: cdi_dir: edgeplug.service cannot write in /etc/cdi, "));

        Path dropIn = Files.createDirectories(node.resolve("etc/systemd/system/edgeplug.service.d"));
        Files.writeString(dropIn.resolve("paths.conf"), "[Service]\nReadWritePaths=-/data/kubelet /etc/cdi\n");
        assertThat(notes(node, config)).isEmpty();
    }
}
