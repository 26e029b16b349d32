package io.edgeplug.node.scan;

import io.edgeplug.model.device.NodeUse;
import io.edgeplug.system.files.AlternativeNames;
import io.edgeplug.system.files.Sysfs;
import java.util.ArrayList;
import java.util.List;

/**
 * Data that all functions of a node share at one time: how it uses its interfaces itself, RDMA in software, and the
 * names of vDPA devices.
 *
 * <p>Each is read once, when it is first needed. So a scan of 4,096 functions reads the routes once.
 */
record NodeWide(
        Sysfs sysfs,
        NodeUses nodeUses,
        AlternativeNames alternativeNames,
        RdmaScan rdma,
        DriverDeviceScan driverDevices) {

    NodeWide(Sysfs sysfs) {
        this(sysfs, new NodeUses(sysfs), new AlternativeNames(sysfs), new RdmaScan(sysfs), new DriverDeviceScan(sysfs));
    }

    /** The alternative names of these interfaces. */
    Reading<List<String>> altNames(List<String> netNames) {
        return Reading.of(
                () -> {
                    List<String> names = new ArrayList<>();
                    for (String netName : netNames) {
                        names.addAll(alternativeNames.of(netName));
                    }
                    return names;
                },
                List.of());
    }

    /** How the node itself uses a function with these interfaces. */
    Reading<NodeUse> nodeUse(List<String> netNames) {
        Reading<NodeUse> use = Reading.of(() -> nodeUses.of(netNames), NodeUse.NONE);
        return use.problem()
                .map(problem -> new Reading<>(NodeUse.unknown(problem), use.problem()))
                .orElse(use);
    }
}
