package io.edgeplug.cli;

import io.edgeplug.container.Allocation;
import io.edgeplug.localkubelet.ContainerAllocation;
import java.util.ArrayList;
import java.util.List;

/** What a container gets, a line for each thing. */
final class AllocationText {

    private AllocationText() {}

    /** As the kubelet was answered. */
    static List<String> lines(ContainerAllocation allocation) {
        List<String> lines = new ArrayList<>();
        allocation.envs().forEach((key, value) -> lines.add(env(key, value)));
        allocation.devices().forEach(one -> lines.add(device(one.containerPath(), one.permissions())));
        allocation.mounts().forEach(one -> lines.add(mount(one.containerPath(), one.readOnly())));
        allocation.annotations().forEach((key, value) -> lines.add("annotation " + key + "=" + value));
        allocation.cdiDevices().forEach(name -> lines.add("cdi        " + name));
        return lines;
    }

    /** As the kubelet would be answered. */
    static List<String> lines(Allocation allocation) {
        List<String> lines = new ArrayList<>();
        allocation.env().forEach((key, value) -> lines.add(env(key, value)));
        allocation.nodes().forEach(one -> lines.add(device(one.path(), one.permissions())));
        allocation.mounts().forEach(one -> lines.add(mount(one.path(), one.readOnly())));
        return lines;
    }

    private static String env(String key, String value) {
        return "env        " + key + "=" + value;
    }

    private static String device(String path, String permissions) {
        return "device     " + path + " (" + permissions + ")";
    }

    private static String mount(String path, boolean readOnly) {
        return "mount      " + path + (readOnly ? " (ro)" : "");
    }
}
