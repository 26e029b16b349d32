package io.edgeplug.system.files;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names of PCI vendors and devices that lspci uses; see pci.ids(5). */
public final class PciIds {

    /** No names. */
    public static final PciIds NONE = new PciIds(Map.of(), Map.of());

    /** Ten times the present size of the file. */
    private static final long MAX_BYTES = 16 << 20;

    /** The paths in distributions. */
    private static final List<String> PLACES = List.of(
            "usr/share/hwdata/pci.ids",
            "usr/share/misc/pci.ids",
            "usr/share/pci.ids",
            "usr/local/share/pci.ids",
            "var/lib/pciutils/pci.ids");

    /** A vendor's number begins its line. A device's follows one tab, and a subsystem's two tabs. */
    private static final Pattern ENTRY = Pattern.compile("(\t?)([0-9a-f]{4})  (.+)");

    private final Map<Integer, String> vendors;
    private final Map<Integer, String> devices;

    private PciIds(Map<Integer, String> vendors, Map<Integer, String> devices) {
        this.vendors = vendors;
        this.devices = devices;
    }

    /**
     * Reads the file of that node, or that of the running node if it has none, because the names are the same
     * everywhere.
     *
     * @throws IOException if neither can be read; the message says what to do
     */
    public static PciIds read(Sysfs sysfs) throws IOException {
        Path file = place(sysfs)
                .or(() -> place(Sysfs.at(Path.of("/"))))
                .orElseThrow(() -> new IOException(
                        "names of PCI devices: there is no pci.ids, which the package pci.ids or hwdata has"));
        try (BufferedReader lines = new BufferedReader(ForeignText.open(file, MAX_BYTES))) {
            return read(lines);
        } catch (IOException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    private static Optional<Path> place(Sysfs sysfs) {
        return PLACES.stream().map(sysfs::locate).filter(Files::isRegularFile).findFirst();
    }

    private static PciIds read(BufferedReader lines) throws IOException {
        Map<Integer, String> vendors = new HashMap<>();
        Map<Integer, String> devices = new HashMap<>();
        int vendor = 0;
        String line = lines.readLine();
        // The classes of devices come last, and are numbered like devices.
        while (line != null && !line.startsWith("C ")) {
            Matcher entry = ENTRY.matcher(line);
            if (entry.matches()) {
                int number = HexFormat.fromHexDigits(entry.group(2));
                String name = entry.group(3).strip();
                if (entry.group(1).isEmpty()) {
                    vendor = number;
                    vendors.put(vendor, name);
                } else {
                    devices.put(key(vendor, number), name);
                }
            }
            line = lines.readLine();
        }
        return new PciIds(vendors, devices);
    }

    private static int key(int vendor, int device) {
        return vendor << 16 | device;
    }

    /** The name of a vendor. */
    public Optional<String> vendor(int vendor) {
        return Optional.ofNullable(vendors.get(vendor));
    }

    /** The name of a vendor's device. */
    public Optional<String> device(int vendor, int device) {
        return Optional.ofNullable(devices.get(key(vendor, device)));
    }
}
