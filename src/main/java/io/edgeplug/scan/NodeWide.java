package io.edgeplug.scan;

import io.edgeplug.linux.Sysfs;

/**
 * What is the same for all functions of a node at one time: the interfaces of its default route, RDMA in software,
 * and the names of vDPA devices.
 *
 * <p>Each is read when it is first needed and not again, so that a scan of 4,096 functions reads the routes once.
 */
record NodeWide(Sysfs sysfs, DefaultRoute defaultRoute, RdmaScan rdma, DriverDeviceScan driverDevices) {

    NodeWide(Sysfs sysfs) {
        this(sysfs, new DefaultRoute(sysfs), new RdmaScan(sysfs), new DriverDeviceScan(sysfs));
    }
}
