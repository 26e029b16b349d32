package io.edgeplug.linux;

import java.util.List;

/**
 * The kernel's word that something happened to a device; see kobject_uevent(9).
 *
 * <p>It is a hint to look again, never the truth about the device: by the time it is read, more may have happened.
 *
 * @param action {@code add}, {@code remove}, {@code change}, {@code move}, {@code online}, {@code offline}, {@code bind}
 *     or {@code unbind}
 * @param devpath the device's path below {@code /sys}, beginning with {@code /devices/}
 * @param subsystem as {@code pci}, {@code net} or {@code infiniband}
 */
public record Uevent(String action, String devpath, String subsystem) {

    /** Stands for uevents that were not heard: anything may have happened to any device. */
    public static final Uevent MISSED = new Uevent("missed", "/devices/", "");

    /** What the path leads through, the device itself last. */
    public List<String> names() {
        return List.of(devpath.split("/", -1));
    }
}
