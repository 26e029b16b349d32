package io.edgeplug.node.prepare;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.FpgaRegion;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.rules.Step;
import io.edgeplug.model.rules.TemplateWord;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.kernel.Ioctl;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;

/**
 * Programs FPGAs: Intel's regions by ioctl, others through their FPGA manager or a vendor's tool.
 *
 * @param room for all copies of images at one time
 */
record FpgaSteps(Sysfs sysfs, ChangeNotes changeNotes, Programs programs, Semaphore room) {

    /** Where the kernel looks for a file that a driver requests by name; see Documentation/driver-api/firmware. */
    static final String FIRMWARE = "lib/firmware";

    private static final String MANAGERS = "sys/class/fpga_manager";

    /** DFL_FPGA_FME_PORT_PR of linux/fpga-dfl.h, and its structure: four numbers of 4 bytes and an address. */
    private static final int PORT_PR = 0xb680;

    private static final int PORT_PR_BYTES = 24;
    private static final int PORT_PR_ADDRESS = 16;

    /** Programs the device, unless it already reports the wanted image, and checks the report afterwards. */
    String program(Device device, Step.Program step) throws IOException, TimeoutException, InterruptedException {
        if (isDone(device, step)) {
            return "already has this image";
        }
        Path image = image(step);
        Optional<String> wanted = step.id();
        if (step.tool().isPresent()) {
            try (Bitstream verified = Bitstream.copy(image, step.sha256(), changeNotes.directory(), room)) {
                programs.run(
                        device,
                        step.tool().orElseThrow(),
                        Map.of(TemplateWord.FILE, verified.path().toString()));
            }
        } else if (device instanceof FpgaRegion region) {
            try (Bitstream verified = Bitstream.copy(image, step.sha256(), changeNotes.directory(), room)) {
                Gbs gbs = gbs(step.file(), verified);
                wanted = wanted.or(() -> gbs.afuIds().stream().findFirst());
                if (!step.always() && wanted.isPresent() && isLoaded(device, step, wanted.orElseThrow())) {
                    return "already has this image";
                }
                reconfigure(region, gbs);
            }
        } else {
            load(manager(device), image, step);
        }
        if (wanted.isPresent() && !isLoaded(device, step, wanted.orElseThrow())) {
            throw new IOException("it reports the image " + loaded(device, step).orElse("nothing") + " afterwards, not "
                    + wanted.orElseThrow());
        }
        return wanted.map(id -> "as " + id).orElse("");
    }

    /** Whether programming is necessary, and if so, whether the image is the right one. */
    String plan(Device device, Step.Program step) throws IOException {
        if (isDone(device, step)) {
            return ", which it is programmed with already";
        }
        if (!sysfs.isCaptured()) {
            Bitstream.verify(image(step), step.sha256());
        }
        return "";
    }

    private boolean isDone(Device device, Step.Program step) throws IOException {
        return step.id().isPresent() && isLoaded(device, step, step.id().orElseThrow()) && !step.always();
    }

    private Path image(Step.Program step) {
        return sysfs.locate(step.file().substring(1));
    }

    /** Images of edgeplug in the kernel's directory. */
    List<Path> staged() throws IOException {
        return sysfs.names(FIRMWARE).stream()
                .filter(Bitstream::isCopy)
                .map(name -> sysfs.locate(FIRMWARE + "/" + name))
                .toList();
    }

    private boolean isLoaded(Device device, Step.Program step, String id) throws IOException {
        return loaded(device, step).equals(Optional.of(id));
    }

    /** The image that the device reports. */
    private Optional<String> loaded(Device device, Step.Program step) throws IOException {
        Optional<String> file = step.idFile().flatMap(template -> template.fill(device, Map.of()));
        if (file.isEmpty() && device instanceof FpgaRegion region) {
            file = Optional.of(port(region) + "/afu_id");
        }
        if (file.isEmpty()) {
            throw new IOException("it does not say what it is programmed with, and the class names no id_file");
        }
        return sysfs.read(file.orElseThrow().replaceFirst("^/+", ""))
                .map(text -> text.replace("-", "").toLowerCase(Locale.ROOT));
    }

    private static Gbs gbs(String file, Bitstream verified) throws IOException {
        try {
            return Gbs.parse(verified.map());
        } catch (IOException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    /** Programs the region's port through the management engine of the card; see Documentation/fpga/dfl.rst. */
    private void reconfigure(FpgaRegion region, Gbs gbs) throws IOException {
        String engine = only(region, "dfl-fme\\.\\d+");
        List<String> interfaces = interfaceIds(engine);
        if (!interfaces.contains(gbs.interfaceId())) {
            throw new IOException("the image is for the interface " + gbs.interfaceId() + ", and the region has "
                    + (interfaces.isEmpty() ? "none" : String.join(", ", interfaces)));
        }
        int port = sysfs.read(port(region) + "/id")
                .map(Integer::decode)
                .orElseThrow(() -> new IOException("its port does not report its number"));
        ByteBuffer argument = ByteBuffer.allocate(PORT_PR_BYTES).order(ByteOrder.nativeOrder());
        argument.putInt(PORT_PR_BYTES).putInt(0).putInt(port).putInt(gbs.image().remaining());
        sysfs.ioctl(
                "dev/" + engine.substring(engine.lastIndexOf('/') + 1),
                new Ioctl(PORT_PR, argument.rewind(), PORT_PR_ADDRESS, gbs.image()));
    }

    private List<String> interfaceIds(String engine) throws IOException {
        List<String> ids = new ArrayList<>();
        for (String child : sysfs.names(engine)) {
            String regions = engine + "/" + child + "/fpga_region";
            for (String region : child.startsWith("dfl-fme-region.") ? sysfs.names(regions) : List.<String>of()) {
                sysfs.read(regions + "/" + region + "/compat_id").ifPresent(ids::add);
            }
        }
        return ids;
    }

    private String port(FpgaRegion region) throws IOException {
        return only(region, "dfl-port\\.\\d+");
    }

    /**
     * The only part of a region with such a name. To program one of several, the configuration would need a key that
     * names it.
     */
    private String only(FpgaRegion region, String pattern) throws IOException {
        String directory = PciBinding.FUNCTIONS + region.function().address() + "/fpga_region/" + region.region();
        List<String> found = sysfs.names(directory).stream()
                .filter(name -> name.matches(pattern))
                .toList();
        if (found.size() != 1) {
            throw new IOException(region.region() + " has " + found.size() + " parts named "
                    + pattern.replaceAll("\\W.*", "") + ", and can be programmed only with one");
        }
        return directory + "/" + found.getFirst();
    }

    /** The directory of the device's FPGA manager. */
    private String manager(Device device) throws IOException {
        if (device instanceof PciDevice pci) {
            String managers = PciBinding.FUNCTIONS + pci.function().address() + "/fpga_manager";
            for (String name : sysfs.names(managers)) {
                return managers + "/" + name;
            }
        }
        for (String name : sysfs.names(MANAGERS)) {
            if (sysfs.linkName(MANAGERS + "/" + name + "/device").equals(Optional.of(device.id()))) {
                return MANAGERS + "/" + name;
            }
        }
        throw new IOException("it has no FPGA manager");
    }

    /** Has the kernel load the image by name, through the attributes of Xilinx's kernels. */
    private void load(String manager, Path image, Step.Program step) throws IOException, InterruptedException {
        if (!sysfs.exists(manager + "/firmware")) {
            throw new IOException("its FPGA manager takes no image: it has no attribute firmware");
        }
        try (Bitstream staged = Bitstream.copy(image, step.sha256(), sysfs.locate(FIRMWARE), room)) {
            sysfs.write(manager + "/flags", step.partial() ? "1" : "0");
            sysfs.write(manager + "/firmware", String.valueOf(staged.path().getFileName()));
        }
        String state = sysfs.read(manager + "/state").orElse("unknown");
        if (!state.equals("operating")) {
            throw new IOException("its FPGA manager says " + state + " afterwards");
        }
    }
}
