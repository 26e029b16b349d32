package io.edgeplug.cli;

import io.edgeplug.localkubelet.ContainerAllocation;
import java.util.ArrayList;
import java.util.List;

/** What a container gets, a line for each thing. */
final class AllocationText {

    private AllocationText() {}

    static List<String> lines(ContainerAllocation allocation) {
        List<String> lines = new ArrayList<>();
        allocation.envs().forEach((key, value) -> lines.add("env        " + key + "=" + value));
        allocation
                .devices()
                .forEach(device ->
                        lines.add("device     " + device.containerPath() + " (" + device.permissions() + ")"));
        allocation
                .mounts()
                .forEach(mount -> lines.add("mount      " + mount.containerPath() + (mount.readOnly() ? " (ro)" : "")));
        allocation.annotations().forEach((key, value) -> lines.add("annotation " + key + "=" + value));
        allocation.cdiDevices().forEach(name -> lines.add("cdi        " + name));
        return lines;
    }
}
