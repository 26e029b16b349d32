package io.edgeplug.scan;

import io.edgeplug.linux.Sysfs;

/**
 * Data that all functions of a node share at one time: the interfaces of its default route, RDMA in software, and the
 * names of vDPA devices.
 *
 * <p>Each is read once, when it is first needed. So a scan of 4,096 functions reads the routes once.
 */
record NodeWide(Sysfs sysfs, DefaultRoute defaultRoute, RdmaScan rdma, DriverDeviceScan driverDevices) {

    NodeWide(Sysfs sysfs) {
        this(sysfs, new DefaultRoute(sysfs), new RdmaScan(sysfs), new DriverDeviceScan(sysfs));
    }
}
