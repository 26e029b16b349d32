package io.edgeplug.node.prepare;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.IdentifiedNode;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PlatformFpga;
import io.edgeplug.model.device.SoftwareHca;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Recipe;
import io.edgeplug.model.rules.Step;
import io.edgeplug.system.files.Notes;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/**
 * The devices that pods have used and that are not scrubbed since, with one file for each in
 * {@code /var/lib/edgeplug/used}. A file is written before the pod's container starts, and deleted once the device is
 * scrubbed. So no device is forgotten, even if the daemon was stopped when the pod ended or was killed on the way. The
 * notes survive a reboot, because traces on a card may too.
 */
public final class UseNotes {

    private static final String RESOURCE = "resource";
    private static final String PODS = "pods";
    private static final String KUBELET_DIR = "kubelet_dir";
    private static final String RELEASED = "released";
    private static final String IDENTITY = "identity";
    private static final String NEEDS_NO_CLASS = "needs_no_class";
    private static final String MAC = "restored_mac";
    private static final String VLAN = "restored_vlan";
    private static final String MAX_RATE = "restored_max_tx_rate";

    private final Notes notes;

    /** The used devices of that node. */
    public UseNotes(Sysfs sysfs) {
        this.notes = new Notes(sysfs, "var/lib/edgeplug/used", ".used");
    }

    /**
     * The note of a device.
     *
     * @param device its ID
     * @param resource as which it was used; empty if the note cannot be read
     * @param pods that used it, by their UIDs, or the claims whose pods did
     * @param kubeletDir the directory for device plugins of their kubelet
     * @param isReleased whether all of them are gone and its scrub may have begun
     * @param identity of the device, to tell it from another one in its place
     * @param restored the settings that its VF must get again, in whose place a claim may have chosen others
     * @param needsNoClass whether its class had no steps of its own for its scrub, so that notes say all of it
     * @param problem why the note cannot be read
     */
    public record Use(
            String device,
            Optional<String> resource,
            Set<String> pods,
            Path kubeletDir,
            boolean isReleased,
            String identity,
            Step.Vf restored,
            boolean needsNoClass,
            Optional<String> problem) {

        public Use {
            pods = Set.copyOf(pods);
        }

        /** Whether a device is the one that was used, and not another that has replaced it. */
        public boolean isOf(Device one) {
            String now = UseNotes.identity(one);
            // Releases before 0.2 noted nothing of a device that is no PCI function, and an origin may be unreadable.
            boolean isUnsaid = !(one instanceof PciDevice) && (identity.isEmpty() || now.isEmpty());
            return problem.isPresent() || isUnsaid || identity.equals(now);
        }
    }

    /** All devices that were used and are not scrubbed since. */
    public List<Use> all() throws IOException {
        List<Use> all = new ArrayList<>();
        for (String device : notes.names()) {
            find(device).ifPresent(all::add);
        }
        return all;
    }

    /** The use of one device; empty if it is scrubbed. */
    public Optional<Use> find(String device) {
        try {
            return notes.read(device).map(note -> use(device, note));
        } catch (IOException e) {
            return Optional.of(unreadable(device, String.valueOf(e.getMessage())));
        }
    }

    private Use use(String device, Properties note) {
        Optional<String> resource = Optional.ofNullable(note.getProperty(RESOURCE));
        Optional<String> kubeletDir = Optional.ofNullable(note.getProperty(KUBELET_DIR));
        if (resource.isEmpty() || kubeletDir.isEmpty()) {
            return unreadable(device, notes.place(device) + ": does not say who used the device");
        }
        String pods = note.getProperty(PODS, "");
        try {
            return new Use(
                    device,
                    resource,
                    pods.isEmpty() ? Set.of() : new HashSet<>(List.of(pods.split(" "))),
                    Path.of(kubeletDir.orElseThrow()),
                    note.containsKey(RELEASED),
                    note.getProperty(IDENTITY, ""),
                    restored(note),
                    note.containsKey(NEEDS_NO_CLASS),
                    Optional.empty());
        } catch (InvalidPathException e) {
            return unreadable(device, notes.place(device) + ": its kubelet_dir is no path");
        } catch (NumberFormatException e) {
            return unreadable(device, notes.place(device) + ": its restored_vlan or restored_max_tx_rate is no number");
        }
    }

    private static Step.Vf restored(Properties note) {
        return new Step.Vf(
                Optional.ofNullable(note.getProperty(MAC)),
                number(note, VLAN),
                Optional.empty(),
                Optional.empty(),
                OptionalInt.empty(),
                number(note, MAX_RATE),
                Optional.empty());
    }

    private static OptionalInt number(Properties note, String key) {
        String text = note.getProperty(key, "");
        return text.isEmpty() ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(text));
    }

    /**
     * Distinguishes another device in the same place from the one that was used; empty if nothing is known. It leaves
     * out the device ID of an FPGA, which programming may change, and the kind of a function, which depends on its
     * driver. The numbers of nodes change with each boot.
     */
    private static String identity(Device device) {
        return switch (device) {
            case PciDevice pci ->
                "%04x class %02x"
                        .formatted(pci.function().vendor(), pci.function().classCode() >> 16);
            case UsbDevice usb ->
                "usb " + usb.vendor() + ":" + usb.product()
                        + usb.serial().map(number -> " serial " + number).orElse("");
            case PathDevice path -> origins(path);
            case SoftwareHca hca -> "";
            case PlatformFpga fpga -> "";
        };
    }

    /** The devices behind the nodes; empty if one of them is not known. */
    private static String origins(PathDevice path) {
        List<String> origins =
                path.identities().stream().map(IdentifiedNode::origin).toList();
        boolean isAnyUnknown = origins.stream().anyMatch(IdentifiedNode::isUnknown);
        return isAnyUnknown ? "" : String.join(", ", origins);
    }

    private static Use unreadable(String device, String problem) {
        return new Use(
                device, Optional.empty(), Set.of(), Path.of(""), false, "", Step.Vf.NONE, false, Optional.of(problem));
    }

    /**
     * Notes that pods of the kubelet with that directory use a device of that resource from now on. Waits for the disk.
     */
    public void note(Device device, String resource, Set<String> pods, Path kubeletDir) throws IOException {
        write(device, note(resource, pods, kubeletDir, identity(device)), Step.Vf.NONE);
    }

    /** The same with what its scrub needs of the class, which may not say it any more by then. */
    public void note(Device device, DeviceClass deviceClass, Set<String> pods, Path kubeletDir) throws IOException {
        boolean mayChangeIds =
                device instanceof UsbDevice && deviceClass.identity().isNamedByPort();
        String identity = mayChangeIds ? "" : identity(device);
        Properties note = note(deviceClass.resource().toString(), pods, kubeletDir, identity);
        Step.Vf restored =
                deviceClass.claims().choices().restored(deviceClass.recipe().vf());
        if (deviceClass.release().steps().equals(Recipe.NONE.after(restored).steps())) {
            note.setProperty(NEEDS_NO_CLASS, "");
        }
        write(device, note, restored);
    }

    private static Properties note(String resource, Set<String> pods, Path kubeletDir, String identity) {
        Properties note = new Properties();
        note.setProperty(RESOURCE, resource);
        note.setProperty(PODS, String.join(" ", new TreeSet<>(pods)));
        note.setProperty(KUBELET_DIR, kubeletDir.toAbsolutePath().normalize().toString());
        note.setProperty(IDENTITY, identity);
        return note;
    }

    private void write(Device device, Properties note, Step.Vf said) throws IOException {
        Step.Vf restored = said.isEmpty() ? find(device.id()).map(Use::restored).orElse(said) : said;
        restored.mac().ifPresent(mac -> note.setProperty(MAC, mac));
        restored.vlan().ifPresent(vlan -> note.setProperty(VLAN, String.valueOf(vlan)));
        restored.maxRate().ifPresent(rate -> note.setProperty(MAX_RATE, String.valueOf(rate)));
        notes.writeForGood(device.id(), note);
    }

    /**
     * Notes that nobody uses it any more, before its scrub begins. A static pod comes back with its old UID, and the next
     * pod of a claim has the UID of the claim.
     */
    public void release(String device) throws IOException {
        Properties note = new Properties();
        try {
            Optional<Properties> noted = notes.read(device);
            if (noted.isEmpty()) {
                return;
            }
            note = noted.orElseThrow();
        } catch (FileSystemException e) {
            // It cannot be opened now, perhaps because too many files are open. Who used the device must not be lost.
            throw e;
        } catch (IOException e) {
            // A damaged note must not prevent the scrub.
        }
        note.setProperty(RELEASED, "");
        notes.writeForGood(device, note);
    }

    /** Deletes the note, because the device is scrubbed or will never be back. */
    public void forget(String device) throws IOException {
        notes.delete(device);
    }
}
