package io.edgeplug.model.device;

import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

/** The socket of a USB device: its bus, and the port of each hub on the way, such as {@code 1-4.2}. */
public record UsbPort(String path) implements Comparable<UsbPort> {

    /** USB allows five hubs in a row. A name such as 1-0050 is a device on an I2C bus. */
    private static final Pattern PORT = Pattern.compile("\\d{1,3}-\\d{1,3}(\\.\\d{1,3}){0,6}");

    /** The port of a USB device with that name in sysfs. Interfaces, such as {@code 1-4.2:1.0}, and root hubs have none. */
    public static Optional<UsbPort> parse(String name) {
        return PORT.matcher(name).matches() ? Optional.of(new UsbPort(name)) : Optional.empty();
    }

    /** The USB device that a path in sysfs leads to, or through as the last one. */
    public static Optional<UsbPort> lastIn(String devpath) {
        return Arrays.stream(devpath.split("/"))
                .flatMap(name -> parse(name).stream())
                .reduce((before, last) -> last);
    }

    /**
     * What its hub knows of it, as a path below the devices of sysfs: {@code 1-4/1-4:1.0/1-4-port2}, or
     * {@code usb1/1-0:1.0/usb1-port4} of a root hub.
     */
    public String ofHub() {
        int dot = path.lastIndexOf('.');
        int dash = path.indexOf('-');
        String bus = path.substring(0, dash);
        return dot < 0
                ? "usb%1$s/%1$s-0:1.0/usb%1$s-port%2$s".formatted(bus, path.substring(dash + 1))
                : "%1$s/%1$s:1.0/%1$s-port%2$s".formatted(path.substring(0, dot), path.substring(dot + 1));
    }

    @Override
    public int compareTo(UsbPort other) {
        return path.compareTo(other.path);
    }

    @Override
    public String toString() {
        return path;
    }
}
