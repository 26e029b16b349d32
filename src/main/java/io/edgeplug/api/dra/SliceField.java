package io.edgeplug.api.dra;

/** A field of slices that is behind a feature gate. An API server drops those that it does not know. */
enum SliceField {
    TAINTS(
            "\"taints\"",
            "taints of devices (feature gate DRADeviceTaints), so devices that are unhealthy are left out, and evict"
                    + " has no effect"),
    /** The counters, by which devices exclude each other: those of slices, and those that devices consume. */
    COUNTERS(
            "Counters\"",
            "counters of devices (feature gate DRAPartitionableDevices), so of several faces of a device only one is"
                    + " published"),
    /** That several claims may consume the capacity of a device. A slice never has this and counters. */
    CAPACITY(
            "\"" + ShareCapacity.SEVERAL + "\"",
            "capacities that several claims consume (feature gate DRAConsumableCapacity), so each share is a device"
                    + " of its own"),
    /** What the scheduler waits for before it binds a pod. */
    BINDING(
            "\"bindingConditions\"",
            "binding conditions of devices (feature gate DRADeviceBindingConditions), so devices are prepared only when"
                    + " the kubelet asks");

    private final String mark;
    private final String loss;

    SliceField(String mark, String loss) {
        this.mark = mark;
        this.loss = loss;
    }

    boolean isIn(String content) {
        return content.contains(mark);
    }

    /** The consequence for a person if the server does not keep it. */
    String loss() {
        return loss;
    }
}
