package io.edgeplug.cli;

import io.edgeplug.linux.PciIds;

/**
 * What columns show beside what a scan finds.
 *
 * @param names the names of PCI vendors and devices
 * @param holders the containers that hold devices
 */
record ColumnSources(PciIds names, DeviceHolders holders) {

    /** Neither. */
    static final ColumnSources NONE = new ColumnSources(PciIds.NONE, DeviceHolders.UNKNOWN);
}
