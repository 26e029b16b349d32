package io.edgeplug.node.scan;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.system.files.Destination;
import io.edgeplug.system.files.FileKind;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.kernel.PlainText;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Finds the device behind a device node. A number such as 188:0 belongs to whatever was plugged in first, and a link in
 * {@code by-path} to whatever is in that socket.
 */
record NodeOrigin(Sysfs sysfs) {

    private static final int MAX_TEXT = 64;

    /**
     * The device: a USB device with the interface, or else the PCI function with the serial number of what is behind
     * it. A USB device without a serial number is told by its socket. Of another device only the serial number is known, if it has one.
     */
    String of(Destination node) throws IOException {
        if (!node.kind().isNode() || node.number().isEmpty()) {
            return "";
        }
        String numbers = "sys/dev/" + (node.kind() == FileKind.CHARACTER_DEVICE ? "char/" : "block/");
        Optional<String> target = sysfs.linkTarget(numbers + node.number());
        if (target.isEmpty()) {
            return "";
        }
        Deque<String> names = names(numbers + target.orElseThrow());
        String serial = "";
        String part = "";
        String port = "";
        while (!names.isEmpty()) {
            String directory = String.join("/", names);
            String name = names.removeLast();
            if (PciAddress.parse(name).isPresent()) {
                return "pci " + name + serial;
            }
            if (sysfs.exists(directory + "/idVendor")) {
                return usb(directory, name) + part + port;
            }
            if (serial.isEmpty()) {
                Optional<String> number = text(directory + "/serial");
                number = number.isPresent() ? number : text(directory + "/wwid");
                serial = number.map(one -> " serial " + one).orElse("");
            }
            // The interface 1-2:1.0 of the USB device 1-2 has its number behind the colon.
            if (name.contains(":")) {
                part = " " + name.substring(name.indexOf(':') + 1);
            }
            if (port.isEmpty()) {
                port = text(directory + "/port_number")
                        .map(number -> " port " + number)
                        .orElse("");
            }
        }
        return serial.strip();
    }

    private String usb(String directory, String name) throws IOException {
        String ids = text(directory + "/idVendor").orElse("") + ":"
                + text(directory + "/idProduct").orElse("");
        String which =
                text(directory + "/serial").map(number -> " serial " + number).orElse(" at " + name);
        return "usb " + ids + which;
    }

    private Optional<String> text(String path) throws IOException {
        return sysfs.read(path)
                .map(PlainText::of)
                .map(text -> text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) : text)
                .filter(text -> !text.isEmpty());
    }

    /** The names of a path without {@code ..}; the kernel's link has no other links on its way. */
    private static Deque<String> names(String path) {
        Deque<String> names = new ArrayDeque<>();
        for (String name : List.of(path.split("/"))) {
            if (name.equals("..")) {
                names.pollLast();
            } else {
                names.add(name);
            }
        }
        return names;
    }
}
