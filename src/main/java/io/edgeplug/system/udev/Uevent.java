package io.edgeplug.system.udev;

import java.util.List;

/**
 * The kernel's report that something happened to a device; see kobject_uevent(9).
 *
 * <p>It is a hint to look again and says nothing certain about the device: more may have happened before it is read.
 *
 * @param action {@code add}, {@code remove}, {@code change}, {@code move}, {@code online}, {@code offline},
 *     {@code bind} or {@code unbind}
 * @param devpath the device's path below {@code /sys}, beginning with {@code /devices/}
 * @param subsystem such as {@code pci}, {@code net} or {@code infiniband}
 */
public record Uevent(String action, String devpath, String subsystem) {

    /** Stands for missed uevents: anything may have happened to any device. */
    public static final Uevent MISSED = new Uevent("missed", "/devices/", "");

    /** The names in the path, with the device itself last. */
    public List<String> names() {
        return List.of(devpath.split("/", -1));
    }
}
