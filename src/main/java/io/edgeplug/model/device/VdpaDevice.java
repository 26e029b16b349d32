package io.edgeplug.model.device;

import java.util.Optional;

/**
 * A device on the vDPA bus; see Documentation/ABI/testing/sysfs-bus-vdpa in the kernel.
 *
 * @param name from the kernel or the administrator, such as {@code vdpa0}
 * @param driver {@code vhost_vdpa}, {@code virtio_vdpa} or none
 * @param node its device node if vhost_vdpa has made one, such as {@code /dev/vhost-vdpa-0}
 */
public record VdpaDevice(String name, Optional<String> driver, Optional<String> node) {

    /** The way in which it is used, in the words of selectors: {@code vhost} or {@code virtio}. */
    public Optional<String> type() {
        return driver.filter(one -> one.endsWith("_vdpa"))
                .map(one -> one.substring(0, one.length() - "_vdpa".length()));
    }
}
