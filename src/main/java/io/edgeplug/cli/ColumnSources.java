package io.edgeplug.cli;

import io.edgeplug.linux.PciIds;

/**
 * Sources of columns besides the scan.
 *
 * @param names of PCI vendors and devices
 * @param holders the containers that hold devices
 * @param claims the cluster's names of devices that pods claim
 */
record ColumnSources(PciIds names, DeviceHolders holders, ClaimedDevices claims) {}
