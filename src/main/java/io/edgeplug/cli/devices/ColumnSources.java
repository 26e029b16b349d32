package io.edgeplug.cli.devices;

import io.edgeplug.system.files.PciIds;

/**
 * Sources of columns besides the scan.
 *
 * @param names of PCI vendors and devices
 * @param holders the containers that hold devices
 * @param claims the cluster's names of devices that pods claim
 */
public record ColumnSources(PciIds names, DeviceHolders holders, ClaimedDevices claims) {}
