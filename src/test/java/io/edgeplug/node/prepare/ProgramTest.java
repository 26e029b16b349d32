package io.edgeplug.node.prepare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.model.device.PrepareException;
import io.edgeplug.model.rules.Recipe;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What an FPGA is programmed with: what is loaded is what was pinned, and nothing else ever is. */
@Timeout(60)
final class ProgramTest {

    private static final String REGION = "0000:5e:00.0-region0";
    private static final String PORT = "sys/bus/pci/devices/0000:5e:00.0/fpga_region/region0/dfl-port.0/";
    private static final String INTERFACE = "9346116d-52ad-20c8-2b7e-3e0d0bd9c2c9";
    private static final String OLD = "d8424dc4a4a3c413f89e433683f9040b";
    private static final String NEW = "00112233445566778899aabbccddeeff";
    private static final String NODES = """
            [dev]
            dfl-fme.0 =
            [lib/firmware]
            other.bin = x
            [sys/class/fpga_manager]
            fpga7 -> ../../devices/platform/f8007000.devcfg/fpga_manager/fpga7
            [sys/devices/platform/f8007000.devcfg]
            driver -> ../../../bus/platform/drivers/xilinx_devcfg
            fpga_manager/fpga7/device -> ../../../f8007000.devcfg
            fpga_manager/fpga7/state = operating
            fpga_manager/fpga7/firmware =
            fpga_manager/fpga7/flags = 0
            [sys/bus/platform/drivers/xilinx_devcfg]
            """;

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private PreparedNode prepared;

    private Path image;

    @BeforeEach
    void open() throws IOException {
        Path machine = Path.of("src/test/machines/dfl-fpga/tree");
        prepared = PreparedNode.open(directory, Files.readString(machine));
        prepared.node.plug(NODES);
        image = prepared.node.root().resolve("srv/image");
        Files.createDirectories(prepared.node.root().resolve("srv"));
    }

    private static byte[] gbs(String json, String content) {
        byte[] metadata = json.getBytes(StandardCharsets.UTF_8);
        ByteBuffer file =
                ByteBuffer.allocate(20 + metadata.length + content.length()).order(ByteOrder.LITTLE_ENDIAN);
        file.put("XeonFPGA\u00b7GBSv001".getBytes(StandardCharsets.ISO_8859_1));
        file.putInt(metadata.length).put(metadata).put(content.getBytes(StandardCharsets.UTF_8));
        return file.array();
    }

    private static String metadata(String interfaceId) {
        return """
                {"version": 1, "afu-image": {"interface-uuid": "%s", "magic-no": 488605312,
                 "accelerator-clusters": [{"name": "x", "accelerator-type-uuid": "%s"}]}}""".formatted(interfaceId, NEW);
    }

    private static String sha256(byte[] bytes) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    private Recipe recipe(byte[] file, String more) throws Exception {
        Files.write(image, file);
        return recipe(sha256(file), more);
    }

    private Recipe recipe(String sha256, String more) throws Exception {
        return prepared.recipe(
                "fpga", "program = { file = \"/srv/image\", sha256 = \"%s\"%s }".formatted(sha256, more));
    }

    private void assertRefused(Recipe recipe, String problem) throws IOException {
        assertThatThrownBy(() -> prepared.prepare(REGION, recipe))
                .isInstanceOf(PrepareException.class)
                .hasMessage("Device " + REGION + " could not be prepared: program: " + problem + ".");
        assertNothingLoaded();
    }

    private void assertNothingLoaded() throws IOException {
        assertThat(prepared.node.acts()).isEmpty();
        assertThat(prepared.node.sysfs().read(PORT + "afu_id")).contains(OLD);
        assertNothingLeft();
    }

    private void assertNothingLeft() throws IOException {
        assertThat(prepared.node.root().resolve("lib/firmware")).isDirectoryNotContaining("glob:**/edgeplug-*");
        Path own = prepared.node.root().resolve("run/edgeplug/prepare");
        if (Files.exists(own)) {
            assertThat(own).isEmptyDirectory();
        }
    }

    @Test
    void regionIsProgrammedWithWhatFollowsTheHeaderOnce() throws Exception {
        Recipe recipe = recipe(gbs(metadata(INTERFACE), NEW + "more"), "");

        prepared.prepare(REGION, recipe);
        prepared.prepare(REGION, recipe);

        assertThat(prepared.node.acts()).containsExactly("dfl-fme.0 programs port 0");
        assertThat(prepared.node.sysfs().read(PORT + "afu_id")).contains(NEW);
        assertThat(prepared.events)
                .filteredOn(event -> event instanceof PrepareEvent.StepDone)
                .extracting(event -> ((PrepareEvent.StepDone) event).note())
                .containsExactly("as " + NEW, "already has this image");
        assertNothingLeft();
    }

    @Test
    void regionThatIsProgrammedSoAlreadyNeedsNoFile() throws Exception {
        prepared.prepare(REGION, recipe("0".repeat(64), ", id = \"" + OLD + "\""));

        assertNothingLoaded();
    }

    @Test
    void alwaysIsAlways() throws Exception {
        Recipe recipe = recipe(gbs(metadata(INTERFACE), NEW), ", always = true");

        prepared.prepare(REGION, recipe);
        prepared.prepare(REGION, recipe);

        assertThat(prepared.node.acts()).hasSize(2);
    }

    @Test
    void regionThatIsOtherwiseAfterwardsIsTold() throws Exception {
        assertThatThrownBy(() -> prepared.prepare(REGION, recipe(gbs(metadata(INTERFACE), "f".repeat(31) + "0"), "")))
                .hasMessageContaining("program: it reports the image " + "f".repeat(31) + "0 afterwards, not " + NEW);
    }

    @Test
    void imageForAnotherInterfaceIsRefused() throws Exception {
        String other = "00000000-0000-0000-0000-000000000001";
        assertRefused(
                recipe(gbs(metadata(other), NEW), ""),
                "the image is for the interface " + other.replace("-", "") + ", and the region has "
                        + INTERFACE.replace("-", ""));
    }

    @Test
    void kernelThatRefusesTheImageIsTold() throws Exception {
        prepared.node.interfere("dev/dfl-fme.0", () -> {
            throw new IOException("Device or resource busy");
        });
        assertRefused(recipe(gbs(metadata(INTERFACE), NEW), ""), "ioctl /dev/dfl-fme.0: Device or resource busy");
    }

    @Test
    void headerThatCannotBeTrueIsRefused() throws Exception {
        byte[] good = gbs(metadata(INTERFACE), NEW);
        byte[] lies = good.clone();
        lies[18] = 0x7f;
        int json = metadata(INTERFACE).getBytes(StandardCharsets.UTF_8).length;
        String says = "/srv/image: says that its metadata has ";
        assertRefused(recipe(new byte[19], ""), "/srv/image: is too short for the header of a GBS");
        assertRefused(recipe(new byte[100], ""), "/srv/image: does not begin as a GBS does");
        assertRefused(recipe(lies, ""), says + (json + 0x7f0000) + " bytes, and has " + (good.length - 20));
        assertRefused(recipe(java.util.Arrays.copyOf(good, 60), ""), says + json + " bytes, and has 40");
        assertRefused(recipe(gbs(metadata(INTERFACE), ""), ""), "/srv/image: has nothing after its header");
        assertRefused(recipe(gbs("[".repeat(5000), NEW), ""), "/srv/image: has metadata that is no JSON");
        assertRefused(recipe(gbs("{\"afu-image\": 7}", NEW), ""), "/srv/image: has metadata without afu-image");
        assertRefused(recipe(gbs(metadata("x"), NEW), ""), "/srv/image: names no interface-uuid");
    }

    @Test
    void fileThatIsNotThePinnedOneIsRefused() throws Exception {
        byte[] file = gbs(metadata(INTERFACE), NEW);
        Recipe recipe = recipe(file, "");
        byte[] other = gbs(metadata(INTERFACE), NEW + "x");
        Files.write(image, other);

        assertRefused(
                recipe, image + ": its sha256 is " + sha256(other) + ", not the " + sha256(file) + " of the class");
    }

    @Test
    void fileThatOthersCouldChangeIsRefused() throws Exception {
        Recipe recipe = recipe(gbs(metadata(INTERFACE), NEW), "");
        Path real = image.toRealPath();

        Files.setPosixFilePermissions(image, PosixFilePermissions.fromString("rw-rw-rw-"));
        assertRefused(recipe, image + ": can be written by others than its owner, mode 0666");
        Files.setPosixFilePermissions(image, PosixFilePermissions.fromString("rw-r--r--"));
        Files.setPosixFilePermissions(
                prepared.node.root().resolve("srv"), PosixFilePermissions.fromString("rwxr-xrwx"));
        assertRefused(recipe, image + ": is reached by " + real.getParent() + ", to which anyone can write");
    }

    @Test
    void whatIsNoRegularFileIsRefused() throws Exception {
        Recipe recipe = recipe("0".repeat(64), "");

        assertRefused(recipe, image + ": no such file");
        Files.createSymbolicLink(image, Path.of("/etc/passwd"));
        assertRefused(recipe, image + ": is a symbolic link");
        Files.delete(image);
        new ProcessBuilder("mkfifo", image.toString()).start().waitFor();
        assertRefused(recipe, image + ": is not a regular file");
        Files.delete(image);
        Files.createDirectory(image);
        assertRefused(recipe, image + ": is not a regular file");
    }

    @Test
    void fileThatIsTooLargeIsRefusedUnread() throws Exception {
        try (RandomAccessFile sparse = new RandomAccessFile(image.toFile(), "rw")) {
            sparse.setLength(2L << 30);
        }
        assertRefused(recipe("0".repeat(64), ""), image + ": is larger than the 256 MiB of an image");
    }

    @Test
    void managerLoadsTheImageWhichIsGoneAfterwards() throws Exception {
        String id = "f8007000.devcfg";
        byte[] file = (NEW + "bits").getBytes(StandardCharsets.UTF_8);

        prepared.prepare(
                id,
                recipe(
                        file,
                        ", partial = true, id = \"%s\", id_file = \"%s\""
                                .formatted(NEW, "/sys/class/fpga_manager/fpga7/image_id")));

        assertThat(prepared.node.acts()).containsExactly("fpga7 flags = 1", "fpga7 loads 36 bytes");
        assertNothingLeft();
    }

    @Test
    void managerThatFailsIsToldWithItsReasonAndNothingIsLeft() throws Exception {
        assertThatThrownBy(() -> prepared.prepare("f8007000.devcfg", recipe(new byte[] {1}, "")))
                .hasMessage("Device f8007000.devcfg could not be prepared: program: "
                        + "write firmware: Input/output error.");
        assertNothingLeft();
    }

    @Test
    void vendorsToolGetsTheVerifiedCopy() throws Exception {
        byte[] file = "bits".getBytes(StandardCharsets.UTF_8);
        Path seen = directory.resolve("seen");

        prepared.prepare(
                REGION,
                recipe(
                        file,
                        ", command = [\"/bin/sh\", \"-c\", \"stat -c %a {file} > " + seen + "; cat {file} >> " + seen
                                + "; echo loading {bdf}\"]"));

        assertThat(Files.readString(seen)).isEqualTo("600\nbits");
        assertThat(prepared.events)
                .filteredOn(event -> event instanceof PrepareEvent.Output)
                .extracting(event -> ((PrepareEvent.Output) event).line())
                .containsExactly("loading 0000:5e:00.0");
        assertNothingLeft();
    }
}
