package io.edgeplug.node.prepare;

import static io.edgeplug.node.prepare.PreparedNode.VF0;
import static io.edgeplug.node.prepare.PreparedNode.VF1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.IdentifiedNode;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.model.device.UsbPort;
import io.edgeplug.node.pods.NotedClaim;
import io.edgeplug.node.pods.PreparedClaims;
import io.edgeplug.node.scan.ChangeNote;
import io.edgeplug.system.files.Destination;
import io.edgeplug.system.files.FileKind;
import io.edgeplug.system.files.Notes;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Notes that cannot be written or read, and those of release 0.1. */
final class NotesTest {

    private static final String USED = "var/lib/edgeplug/used";

    @TempDir
    private Path directory = Path.of("");

    @Test
    void noteThatCannotBeWrittenLeavesNothing() throws Exception {
        try (PreparedNode prepared = PreparedNode.open(directory)) {
            Notes notes = new Notes(prepared.node.sysfs(), USED);
            Files.createDirectories(prepared.node.root().resolve(USED + "/x.used/in the way"));

            assertThatThrownBy(() -> notes.write("x.used", new Properties())).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> notes.writeForGood("x.used", new Properties()))
                    .isInstanceOf(IOException.class);

            assertThat(notes.names()).containsExactly("x.used");
        }
    }

    /** As when a function returns to its host driver while its note is read. */
    @Test
    @Timeout(60)
    void noteThatIsDeletedMeanwhileIsNone() throws Exception {
        Notes notes = new Notes(Sysfs.at(directory), USED);
        CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> {
            try {
                for (int i = 0; i < 5_000; i++) {
                    notes.write("x", new Properties());
                    notes.delete("x");
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });

        while (!writing.isDone()) {
            assertThat(notes.read("x").orElseGet(Properties::new)).isEmpty();
        }

        writing.get(1, TimeUnit.SECONDS);
    }

    /** As after a loss of power. The next process may have the number of that one. */
    @Test
    void halfWrittenFilesOfProcessesThatAreGoneAreTakenAway() throws Exception {
        Sysfs sysfs = Sysfs.at(directory);
        long own = ProcessHandle.current().pid();
        Process other = new ProcessBuilder("sleep", "60").start();
        for (String kind : List.of("used", "nodes", "claims")) {
            Path notes = Files.createDirectories(directory.resolve("var/lib/edgeplug/" + kind));
            Files.createFile(notes.resolve("x." + own + ".0.part"));
            Files.createFile(notes.resolve("x.4194305.1.part"));
            Files.createFile(notes.resolve("x." + other.pid() + ".1.part"));
            Files.createFile(notes.resolve("x.used"));
        }
        new Notes(sysfs, USED).write("y", new Properties());
        new Notes(sysfs, "var/lib/edgeplug/nodes", ".nodes").writeForGood("y", new Properties());
        NotedClaim.note(directory, "y");

        for (String kind : List.of("used", "nodes", "claims")) {
            assertThat(sysfs.names("var/lib/edgeplug/" + kind))
                    .as(kind)
                    .contains("x.used", "x." + other.pid() + ".1.part")
                    .hasSize(3);
        }
        other.destroy();
    }

    /** What is written can be read back, and what is not read back whole is not taken for a note. */
    @Test
    void noteThatIsTooLongIsNeitherWrittenNorRead() throws Exception {
        try (PreparedNode prepared = PreparedNode.open(directory)) {
            Notes notes = new Notes(prepared.node.sysfs(), USED);
            Properties note = new Properties();
            note.setProperty("pods", "x".repeat(65_000));
            notes.write("x.used", note);
            assertThat(notes.read("x.used")).contains(note);

            note.setProperty("pods", "x".repeat(66_000));
            assertThatThrownBy(() -> notes.write("x.used", note)).hasMessageContaining("more than 64 KiB");

            write(prepared, USED + "/y.used", "resource=a\npods=" + "x".repeat(66_000) + "\n");
            assertThatThrownBy(() -> notes.read("y.used")).hasMessageContaining("larger than a note");
        }
    }

    @Test
    void linkInThePlaceOfANoteIsNotFollowed() throws Exception {
        try (PreparedNode prepared = PreparedNode.open(directory)) {
            Notes notes = new Notes(prepared.node.sysfs(), USED);
            Path other = Files.writeString(directory.resolve("other"), "resource=a\n");
            Files.createSymbolicLink(notes.directory().resolve("x.used"), other);

            assertThatThrownBy(() -> notes.read("x.used")).hasMessageEndingWith("x.used: is no file");
            notes.write("x.used", new Properties());

            assertThat(other).hasContent("resource=a\n");
            assertThat(notes.read("x.used")).contains(new Properties());
            assertThat(Files.getPosixFilePermissions(notes.file("x.used")))
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        }
    }

    @Test
    void noteIsWrittenByAThreadThatIsAskedToEnd() throws Exception {
        try (PreparedNode prepared = PreparedNode.open(directory)) {
            Notes notes = new Notes(prepared.node.sysfs(), USED);
            Thread.currentThread().interrupt();
            notes.writeForGood("x.used", new Properties());

            assertThat(Thread.interrupted()).isTrue();
            assertThat(notes.names()).containsExactly("x.used");
        }
    }

    @Test
    void notesOfRelease01AreRead() throws Exception {
        try (PreparedNode prepared = PreparedNode.open(directory)) {
            String since = "#Wed Nov 25 03:42:00 UTC 2026\n";
            write(
                    prepared,
                    "var/lib/edgeplug/used/" + VF0 + ".used",
                    since + "identity=8086 class 02\nkubelet_dir=/var/lib/kubelet/device-plugins\npods=uid-1 uid-2\n"
                            + "resource=example.com/x\nrestored_mac=00\\:11\\:22\\:33\\:44\\:55\nrestored_vlan=7\n");
            UseNotes.Use use = new UseNotes(prepared.node.sysfs()).find(VF0).orElseThrow();
            assertThat(use.problem()).isEmpty();
            assertThat(use.isOf(prepared.device(VF0))).isTrue();
            assertThat(use.pods()).containsExactlyInAnyOrder("uid-1", "uid-2");
            assertThat(use.restored().text()).isEqualTo("mac 00:11:22:33:44:55, vlan 7");

            write(
                    prepared,
                    "run/edgeplug/rebound/" + VF0,
                    since + "bound=vfio-pci\ndriver=iavf\nkubelet_dir=" + directory + "\n");
            assertThat(prepared.preparer.rebound(directory))
                    .extracting(String::valueOf)
                    .containsExactly(VF0);

            String before = "driver=iavf\ndriver_override=\nreset_method=flr\n";
            write(prepared, "run/edgeplug/prepare/" + VF0, since + "by=1 2\n" + before);
            write(prepared, "run/edgeplug/prepare/" + VF1, since + before + "problem=write bind\\: Invalid argument\n");
            assertThat(problem(prepared, VF0))
                    .isEqualTo("was left half changed by a process that has ended, and is not restored yet");
            assertThat(problem(prepared, VF1))
                    .isEqualTo("was left half changed and cannot be restored: write bind: Invalid argument");
            assertThat(new ChangeNotes(prepared.node.sysfs()).functions()).hasSize(2);

            write(prepared, "run/edgeplug/prepared/" + VF0 + ".device", since);
            assertThat(new PreparedStarts(prepared.node.sysfs()).last(prepared.device(VF0)))
                    .isPresent();

            write(
                    prepared,
                    "var/lib/edgeplug/claims/uid-3.json",
                    "{\"uid\":\"uid-3\",\"namespace\":\"default\",\"name\":\"mine\",\"pods\":[{\"uid\":\"uid-1\",\"name\":\"one\"}],"
                            + "\"devices\":[{\"request\":\"r\",\"pool\":\"node\",\"name\":\"d\",\"id\":\"" + VF0
                            + "\",\"resource\":\"example.com/x\",\"admin\":false,\"cdi\":\"edgeplug.io/x=y\"}],\"metadata\":{}}");
            PreparedClaims claims = PreparedClaims.read(PreparedClaims.directory(prepared.node.root()));
            assertThat(claims.unread()).isEmpty();
            assertThat(claims.all().getFirst().devices().getFirst().id()).isEqualTo(VF0);
        }
    }

    private static UsbDevice usb(String vendor, String product, String serial) {
        return new UsbDevice(
                "1-4",
                UsbPort.parse("1-4").orElseThrow(),
                vendor,
                product,
                Optional.of(serial).filter(text -> !text.isEmpty()),
                List.of(),
                List.of(),
                OptionalInt.empty(),
                Optional.empty(),
                List.of(),
                Health.HEALTHY);
    }

    private static PathDevice path(String origin) {
        Destination found = new Destination("/dev/ttyUSB0", FileKind.CHARACTER_DEVICE, 1, 1, "188:0", List.of());
        return new PathDevice(
                "modem",
                List.of(new PathDevice.File("/dev/modem", Optional.of(found), origin)),
                Optional.empty(),
                Health.HEALTHY);
    }

    /** A device without a serial number has the ID of its port, and a path has that of whatever it leads to. */
    @Test
    void otherDeviceInTheSamePlaceIsNotTheOneThatWasUsed() throws Exception {
        UseNotes notes = new UseNotes(Sysfs.at(directory));

        assertThat(isOf(notes, usb("0bda", "2838", ""), usb("0bda", "2838", "")))
                .isTrue();
        assertThat(isOf(notes, usb("0bda", "2838", ""), usb("046d", "c31c", "")))
                .isFalse();
        assertThat(isOf(notes, usb("0bda", "2838", "1"), usb("0bda", "2838", "2")))
                .isFalse();
        assertThat(isOf(notes, path("usb 0403:6001 serial A1 1.0"), path("usb 0403:6001 serial A1 1.0")))
                .isTrue();
        assertThat(isOf(notes, path("usb 0403:6001 serial A1 1.0"), path("usb 0403:6001 serial A2 1.0")))
                .isFalse();
        assertThat(isOf(notes, path("usb 0403:6001 serial A1 1.0"), path(IdentifiedNode.unknown("it hangs"))))
                .isTrue();
        assertThat(isOf(notes, path(IdentifiedNode.unknown("it hangs")), path("usb 0403:6001 serial A1 1.0")))
                .isTrue();
    }

    /** Some accelerators change vendor and product when they are used for the first time. */
    @Test
    void deviceThatMayChangeItsIdsIsKnownByItsPort() throws Exception {
        Path file = Files.writeString(directory.resolve("edgeplug.toml"), """
                [[class]]
                resource = "example.com/coral"
                kind = "usb"
                id = "port"
                match = { ports = ["1-4"] }
                """);
        UseNotes notes = new UseNotes(Sysfs.at(directory));
        notes.note(usb("1a6e", "089a", ""), ConfigFiles.read(file).classes().getFirst(), Set.of("pod"), directory);

        assertThat(notes.find("1-4").orElseThrow().isOf(usb("18d1", "9302", "")))
                .isTrue();
    }

    private boolean isOf(UseNotes notes, Device used, Device now) throws IOException {
        notes.note(used, "example.com/stick", Set.of("pod"), directory);
        return notes.find(used.id()).orElseThrow().isOf(now);
    }

    @Test
    void noteOfAnEarlierReleaseWithoutAnIdentityIsOfAnyDevice() throws Exception {
        UseNotes notes = new UseNotes(Sysfs.at(directory));
        Path file = directory.resolve(USED + "/1-4.used");
        Files.createDirectories(file.resolveSibling(""));
        Files.writeString(file, "identity=\nkubelet_dir=/k\npods=uid-1\nresource=example.com/stick\n");

        assertThat(notes.find("1-4").orElseThrow().isOf(usb("0bda", "2838", "")))
                .isTrue();
    }

    private static String problem(PreparedNode prepared, String function) {
        return ChangeNote.of(prepared.node.sysfs(), PciAddress.parse(function).orElseThrow())
                .orElseThrow()
                .problem();
    }

    private static void write(PreparedNode prepared, String path, String text) throws IOException {
        Path file = prepared.node.root().resolve(path);
        Files.createDirectories(file.resolveSibling(""));
        Files.writeString(file, text);
    }
}
