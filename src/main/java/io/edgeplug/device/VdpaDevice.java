package io.edgeplug.device;

import java.util.Optional;

/**
 * A device on the vDPA bus; see Documentation/ABI/testing/sysfs-bus-vdpa in the kernel.
 *
 * @param name the kernel's or the administrator's, {@code vdpa0}
 * @param driver {@code vhost_vdpa}, {@code virtio_vdpa} or none
 * @param node the node by which programs reach it, where vhost_vdpa has made one: {@code /dev/vhost-vdpa-0}
 */
public record VdpaDevice(String name, Optional<String> driver, Optional<String> node) {

    /** How it is used, as selectors say it: {@code vhost} or {@code virtio}. */
    public Optional<String> type() {
        return driver.filter(one -> one.endsWith("_vdpa"))
                .map(one -> one.substring(0, one.length() - "_vdpa".length()));
    }
}
