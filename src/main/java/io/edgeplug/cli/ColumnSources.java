package io.edgeplug.cli;

import io.edgeplug.linux.PciIds;

/**
 * What columns show beside what a scan finds.
 *
 * @param names the names of PCI vendors and devices
 * @param holders the containers that hold devices
 * @param claims how the cluster knows devices that pods claim
 */
record ColumnSources(PciIds names, DeviceHolders holders, ClaimedDevices claims) {}
